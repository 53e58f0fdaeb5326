export interface DiffLine {
  depth: number
  /** Text of the value before; absent if there was none. */
  left: string | undefined
  right: string | undefined
  mark: 'same' | 'changed' | 'added' | 'removed'
}

/**
 * Two values as lines of formatted JSON side by side: equal parts share a line, and parts of only one value leave the
 * other side empty.
 */
export function diffValues(before: unknown, after: unknown): DiffLine[] {
  return diff({ value: before, label: '', comma: '' }, { value: after, label: '', comma: '' }, 0)
}

/** One value as such lines, for an entry with one side only. */
export function listValue(value: unknown): string[] {
  return printValue({ value, label: '', comma: '' }, 0).map(({ depth, text }) => '  '.repeat(depth) + text)
}

/** A value with the text before and after it on its lines. */
interface Part {
  value: unknown
  label: string
  comma: ',' | ''
}

function diff(left: Part | undefined, right: Part | undefined, depth: number): DiffLine[] {
  if (left === undefined || right === undefined) return zip(left, right, depth)
  const [a, b] = [membersOf(left.value), membersOf(right.value)]
  if (a === undefined || b === undefined || a.open !== b.open || a.members.size + b.members.size === 0) {
    return zip(left, right, depth)
  }
  const names = new Set([...a.members.keys(), ...b.members.keys()])
  return [
    { depth, left: left.label + a.open, right: right.label + b.open, mark: 'same' },
    ...Array.from(names).flatMap((name) => diff(partOf(a, name), partOf(b, name), depth + 1)),
    { depth, left: a.close + left.comma, right: b.close + right.comma, mark: 'same' },
  ]
}

/** Lines of two values of different kinds, or of one alone. */
function zip(left: Part | undefined, right: Part | undefined, depth: number): DiffLine[] {
  const a = left === undefined ? [] : printValue(left, depth)
  const b = right === undefined ? [] : printValue(right, depth)
  const isSame = left !== undefined && right !== undefined && isEqual(left.value, right.value)
  const mark = left === undefined ? 'added' : right === undefined ? 'removed' : isSame ? 'same' : 'changed'
  return Array.from({ length: Math.max(a.length, b.length) }, (_, index) => ({
    depth: a[index]?.depth ?? b[index]?.depth ?? depth,
    left: a[index]?.text,
    right: b[index]?.text,
    mark,
  }))
}

function printValue({ value, label, comma }: Part, depth: number): { depth: number; text: string }[] {
  const container = membersOf(value)
  if (container === undefined) return [{ depth, text: label + printScalar(value) + comma }]
  const { open, close, members } = container
  if (members.size === 0) return [{ depth, text: label + open + close + comma }]
  return [
    { depth, text: label + open },
    ...Array.from(members.keys()).flatMap((name) => {
      const part = partOf(container, name)
      return part === undefined ? [] : printValue(part, depth + 1)
    }),
    { depth, text: close + comma },
  ]
}

interface Container {
  open: '{' | '['
  close: '}' | ']'
  members: Map<string, unknown>
  last: string | undefined
}

function membersOf(value: unknown): Container | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const isList = Array.isArray(value)
  const members = new Map<string, unknown>(Object.entries(value))
  const last = Array.from(members.keys()).at(-1)
  return { open: isList ? '[' : '{', close: isList ? ']' : '}', members, last }
}

function partOf({ open, members, last }: Container, name: string): Part | undefined {
  if (!members.has(name)) return undefined
  const label = open === '[' ? '' : `${JSON.stringify(name)}: `
  return { value: members.get(name), label, comma: name === last ? '' : ',' }
}

/** JSON, except that multi-line texts keep their lines, so that code stays readable. */
function printScalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null'
  const lines = value.split('\n').map((line) => JSON.stringify(line).slice(1, -1))
  return `"${lines.join('\n')}"`
}

// Both came as JSON, whose keys keep their written order.
const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
