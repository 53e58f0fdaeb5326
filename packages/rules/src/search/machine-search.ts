import { toPresence } from '../agents/agent-status.ts'
import {
  type CustomSearchField,
  customField,
  findSearchField,
  type SearchableMachine,
  type SearchField,
} from './search-fields.ts'
import {
  type Comparison,
  type FieldTerm,
  formatTerm,
  type Match,
  type SearchFlag,
  type SearchNode,
  splitCustomName,
} from './search-tree.ts'
import {
  compareVersions,
  compilePattern,
  readAge,
  readDate,
  readFlag,
  readNumber,
  readPercent,
  readSize,
  versionStartsWith,
} from './search-values.ts'
import { fold } from './search-text.ts'

/** Days without a sign of life after which a machine counts as expired. */
export const EXPIRED_DAYS = 30

export interface SearchContext {
  nowMs: number
  customFields: readonly CustomSearchField[]
  /** The ids of the machines that match each remote term, by its text (`formatTerm`). */
  sets: ReadonlyMap<string, ReadonlySet<string>>
}

/** A test for rows, which is called with each row and, if `needsText`, its `searchText`. */
export interface CompiledSearch {
  matches: (row: SearchableMachine, haystack: string) => boolean
  needsText: boolean
}

type Test = CompiledSearch['matches']

/** Compiles a search once for many rows. It runs for 100,000 rows per key press. A remote term without a set matches nothing. */
export function compileSearch(node: SearchNode | undefined, context: SearchContext): CompiledSearch {
  if (node === undefined) return { matches: () => true, needsText: false }
  return { matches: compileNode(node, context), needsText: hasText(node) }
}

function hasText(node: SearchNode): boolean {
  if (node.kind === 'and' || node.kind === 'or') return node.parts.some(hasText)
  return node.kind === 'not' ? hasText(node.part) : node.kind === 'text'
}

function compileNode(node: SearchNode, context: SearchContext): Test {
  switch (node.kind) {
    case 'and': {
      // Terms of fields first: they are cheaper than the text of a row.
      const parts = node.parts.toSorted((a, b) => Number(hasText(a)) - Number(hasText(b)))
      const tests = parts.map((part) => compileNode(part, context))
      return (row, haystack) => tests.every((test) => test(row, haystack))
    }
    case 'or': {
      const tests = node.parts.map((part) => compileNode(part, context))
      return (row, haystack) => tests.some((test) => test(row, haystack))
    }
    case 'not': {
      const test = compileNode(node.part, context)
      return (row, haystack) => !test(row, haystack)
    }
    case 'text':
      return compileText(node.text, node.isPattern)
    case 'flag':
      return compileFlag(node.flag, context.nowMs)
    case 'field':
      return compileTerm(node, context)
  }
}

function compileText(text: string, isPattern: boolean): Test {
  if (!isPattern) return (_row, haystack) => haystack.includes(text)
  const [first = '', ...rest] = text.split(/\*+/)
  // Anywhere in a line: the pattern is not anchored.
  const inLine = compilePattern(`*${first}*${rest.join('*')}*`)
  return (_row, haystack) => haystack.includes(first) && haystack.split('\n').some(inLine)
}

function compileFlag(flag: SearchFlag, nowMs: number): Test {
  const expiredFrom = new Date(nowMs - EXPIRED_DAYS * 86_400_000).toISOString()
  const holds = FLAG_CONDITIONS[flag]
  return (row) => holds(row, expiredFrom)
}

const FLAG_CONDITIONS: Record<SearchFlag, (row: SearchableMachine, expiredFrom: string) => boolean> = {
  'is:online': (row) => row.status === 'online',
  'is:away': (row) => toPresence(row.status, row.connected) === 'away',
  'is:offline': (row) => row.status === 'offline',
  'is:overdue': (row) => row.status === 'overdue',
  // Instants are ISO texts in UTC, which sort by time. Parsing 100,000 of them takes 60 ms.
  'is:expired': (row, expiredFrom) => row.last_seen !== null && row.last_seen <= expiredFrom,
  'is:checksfailing': (row) => row.checks.has_failing_checks,
  'is:checksold': (row) => row.checks.old > 0,
  'is:noresults': ({ checks }) => checks.total > 0 && checks.pending === checks.total,
  'is:patchespending': (row) => row.has_patches_pending,
  'is:actionspending': (row) => row.pending_actions_count > 0,
  'is:rebootneeded': (row) => row.needs_reboot,
  'is:maintenance': (row) => row.maintenance_mode,
  'is:server': (row) => row.monitoring_type === 'server',
  'is:workstation': (row) => row.monitoring_type === 'workstation',
  'is:windows': (row) => row.plat === 'windows',
  'is:linux': (row) => row.plat === 'linux',
  'is:mac': (row) => row.plat === 'darwin',
}

/** A field of a parsed term. A custom field that was deleted since is undefined. */
export function fieldOf(
  term: Pick<FieldTerm, 'field'>,
  customFields: readonly CustomSearchField[],
): SearchField | undefined {
  const custom = splitCustomName(term.field)
  if (custom === undefined) return findSearchField(term.field)
  const found = customFields.find(
    ({ name, model = 'agent' }) => name === custom.name && model === custom.model,
  )
  return found && customField(found)
}

function compileTerm(term: FieldTerm, { nowMs, customFields, sets }: SearchContext): Test {
  const field = fieldOf(term, customFields)
  if (field === undefined) return () => false
  if (field.remote === true) {
    const ids = sets.get(formatTerm(term))
    return (row) => ids?.has(row.agent_id) === true
  }
  const tests = term.matches.map((match) => compileMatch(field, match, nowMs))
  const [only] = tests
  return tests.length === 1 && only !== undefined ? only : (row) => tests.some((test) => test(row, ''))
}

/** A test for the value of a custom field, also of a client or a site; undefined = it has none. */
export function compileCustomTerm(
  field: CustomSearchField,
  { matches }: Pick<FieldTerm, 'matches'>,
  nowMs: number,
): (value: unknown) => boolean {
  const tests = matches.map((match) => compileMatch(customField(field), match, nowMs))
  return (value) => {
    // Custom fields read nothing else of a row.
    const row = { custom_fields: [{ field: field.id, value }] } as unknown as SearchableMachine
    return tests.some((test) => test(row, ''))
  }
}

function compileMatch(field: SearchField, match: Match, nowMs: number): Test {
  switch (field.type) {
    case 'text': {
      const { read = none } = field
      const isWhole = field.isWhole === true && match.op === ':'
      const test = compileTextMatch(isWhole ? { ...match, op: '=' } : match)
      return (row) => {
        const value = read(row)
        return typeof value === 'string' ? test(value) : value.length === 0 ? test('') : value.some(test)
      }
    }
    case 'choice': {
      const { read = none } = field
      const wanted = match.op === '..' ? '' : match.value
      return wanted === '*' ? (row) => read(row).length > 0 : (row) => read(row).includes(wanted)
    }
    case 'flag': {
      const { read } = field
      const wanted = match.op === '..' || match.value === '*' ? true : readFlag(match.value) === true
      return (row) => read?.(row) === wanted
    }
    case 'number':
    case 'percent':
    case 'size': {
      const { read } = field
      const test = compileNumberMatch(field.type, match)
      return (row) => {
        const value = read?.(row) ?? null
        if (typeof value === 'number') return test(value)
        return value !== null && value.some(test)
      }
    }
    case 'share': {
      const { read = none } = field
      const value = match.op === '..' ? match.from : match.value
      const isShare = value.endsWith('%')
      const test = compileNumberMatch(isShare ? 'percent' : 'size', match)
      return (row) => read(row).some(({ bytes, percent }) => test(isShare ? percent : bytes))
    }
    case 'version': {
      const { read } = field
      const test = remembering(compileVersionMatch(match))
      return (row) => test(read?.(row) ?? '')
    }
    case 'age': {
      const { read } = field
      const test = compileAgeMatch(match, nowMs)
      return (row) => test(read?.(row, nowMs) ?? null)
    }
  }
}

const none = () => [] as const

const MAX_REMEMBERED = 1000

/** Remembers results: many machines share few versions, and comparing two takes a microsecond. */
function remembering(test: (text: string) => boolean): (text: string) => boolean {
  const results = new Map<string, boolean>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    const result = test(text)
    if (results.size < MAX_REMEMBERED) results.set(text, result)
    return result
  }
}

/** A test for one text: `:` = contains, `=` = equals; with `*` the pattern is the whole text. */
export function compileTextMatch(match: Match): (text: string) => boolean {
  if (match.op === '..') return () => false
  const { value, isPattern, op } = match
  if (isPattern) {
    if (/^\*+$/.test(value)) return (text) => text !== ''
    const fits = compilePattern(value)
    return (text) => fits(fold(text))
  }
  if (value === '') return (text) => text === ''
  return op === '=' ? (text) => fold(text) === value : (text) => fold(text).includes(value)
}

/** A test for one number: bytes for sizes. */
export function compileNumberMatch(
  type: 'number' | 'percent' | 'size',
  match: Match,
): (value: number) => boolean {
  const toNumber = (text: string) =>
    (type === 'size' ? readSize(text)?.bytes : type === 'percent' ? readPercent(text) : readNumber(text)?.number) ??
    NaN // prettier-ignore
  if (match.op === '..') {
    const [from, to] = [toNumber(match.from), toNumber(match.to)]
    return (value) => value >= from && value <= to
  }
  if (match.isPattern) return () => true
  const wanted = toNumber(match.value)
  // As shown: 8gb is what rounds to 8 GB.
  const step = type === 'size' ? (readSize(match.value)?.unit ?? 1) : type === 'percent' ? 1 : 0
  if ((match.op === ':' || match.op === '=') && step > 0 && Number.isInteger(wanted / step)) {
    return (value) => Math.round(value / step) === wanted / step
  }
  return (value) => holds(value - wanted, match.op as Comparison)
}

/** A test for one version: `:` = begins with these parts. */
export function compileVersionMatch(match: Match): (version: string) => boolean {
  if (match.op === '..') {
    const { from, to } = match
    return (version) =>
      version !== '' && compareVersions(version, from) >= 0 &&
      (compareVersions(version, to) <= 0 || versionStartsWith(version, to)) // prettier-ignore
  }
  const { op, value, isPattern } = match
  if (isPattern) {
    const fits = compilePattern(value)
    return (version) => version !== '' && fits(fold(version))
  }
  if (op === ':') return (version) => version !== '' && versionStartsWith(version, value)
  return (version) => version !== '' && holds(compareVersions(version, value), op)
}

/** A test for an instant. `>7d` = longer ago than seven days; `>2026-11-25` = after that day. */
export function compileAgeMatch(match: Match, nowMs: number): (atMs: number | null) => boolean {
  if (match.op === '..') {
    const ends = [match.from, match.to].map((text) => rangeOf(text, nowMs))
    const fromMs = Math.min(...ends.map(({ fromMs: end }) => end))
    const toMs = Math.max(...ends.map(({ toMs: end }) => end))
    return (atMs) => atMs !== null && atMs >= fromMs && atMs <= toMs
  }
  const { op, value } = match
  if (value === 'never') return (atMs) => atMs === null
  if (match.isPattern) return (atMs) => atMs !== null
  const age = readAge(value)
  if (age !== undefined) return (atMs) => atMs !== null && holds(nowMs - atMs - age, op)
  const { fromMs, toMs } = rangeOf(value, nowMs)
  const tests: Record<Comparison, (atMs: number) => boolean> = {
    ':': (atMs) => atMs >= fromMs && atMs < toMs,
    '=': (atMs) => atMs >= fromMs && atMs < toMs,
    '<': (atMs) => atMs < fromMs,
    '<=': (atMs) => atMs < toMs,
    '>': (atMs) => atMs >= toMs,
    '>=': (atMs) => atMs >= fromMs,
  }
  return (atMs) => atMs !== null && tests[op](atMs)
}

function rangeOf(text: string, nowMs: number): { fromMs: number; toMs: number } {
  const age = readAge(text)
  if (age !== undefined) return { fromMs: nowMs - age, toMs: nowMs - age }
  const date = readDate(text) ?? { fromMs: NaN, toMs: NaN }
  return { fromMs: date.fromMs, toMs: date.toMs - 1 }
}

function holds(difference: number, op: Comparison): boolean {
  switch (op) {
    case '<':
      return difference < 0
    case '<=':
      return difference <= 0
    case '>':
      return difference > 0
    case '>=':
      return difference >= 0
    default:
      return difference === 0
  }
}
