export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  text: string
  /** Line numbers from 1, on the side that has the line. */
  before: number | undefined
  after: number | undefined
}

/** Limit for comparisons. Beyond it, the changed part is shown as a whole. */
const MAX_COMPARISONS = 4_000_000

/** A diff by lines with as few changes as possible. CRLF and LF are equal. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1
  let end = 0
  while (
    end < old.length - start &&
    end < fresh.length - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  )
    end += 1
  const middle = diffMiddle(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end))
  const kinds = [
    ...Array.from({ length: start }, () => 'same' as const),
    ...middle,
    ...Array.from({ length: end }, () => 'same' as const),
  ]
  let [oldAt, freshAt] = [0, 0]
  return kinds.map((kind) => {
    if (kind !== 'added') oldAt += 1
    if (kind !== 'removed') freshAt += 1
    return {
      kind,
      text: (kind === 'removed' ? old[oldAt - 1] : fresh[freshAt - 1]) ?? '',
      before: kind === 'added' ? undefined : oldAt,
      after: kind === 'removed' ? undefined : freshAt,
    }
  })
}

/** The longest common subsequence of lines, by dynamic programming. */
function diffMiddle(old: readonly string[], fresh: readonly string[]): DiffLine['kind'][] {
  if (old.length * fresh.length > MAX_COMPARISONS)
    return [...old.map(() => 'removed' as const), ...fresh.map(() => 'added' as const)]
  const width = fresh.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = fresh.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const kinds: DiffLine['kind'][] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      kinds.push('same')
      i += 1
      j += 1
    } else if (i < old.length && (j === fresh.length || at(i + 1, j) >= at(i, j + 1))) {
      kinds.push('removed')
      i += 1
    } else {
      kinds.push('added')
      j += 1
    }
  }
  return kinds
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replaceAll('\r\n', '\n').split('\n')
}
