import { fold } from './search-text.ts'

/** A parsed search. All texts in it are folded. */
export type SearchNode =
  | { kind: 'and' | 'or'; parts: SearchNode[] }
  | { kind: 'not'; part: SearchNode }
  /** A word or phrase anywhere in the row. A pattern has `*`. */
  | { kind: 'text'; text: string; isPattern: boolean }
  | { kind: 'flag'; flag: SearchFlag }
  | FieldTerm

export interface FieldTerm {
  kind: 'field'
  /** A name of SEARCH_FIELDS, or `cf.`, `client.` or `site.` with the name of a custom field. */
  field: string
  /** One of them must match. */
  matches: Match[]
}

export type CustomFieldOwner = 'agent' | 'client' | 'site'
export const CUSTOM_PREFIXES = { agent: 'cf', client: 'client', site: 'site' } as const

/** `client.Contract` is the field "Contract" of clients. Undefined for every other field. */
export function splitCustomName(
  field: string,
): { model: CustomFieldOwner; prefix: string; name: string } | undefined {
  const [, start, name] = /^(cf|client|site)\.(.*)$/is.exec(field) ?? []
  if (start === undefined || name === undefined) return undefined
  // The expression has exactly these prefixes.
  const prefix = start.toLowerCase() as 'cf' | 'client' | 'site'
  return { model: prefix === 'cf' ? 'agent' : prefix, prefix, name }
}

export type Comparison = ':' | '=' | '<' | '<=' | '>' | '>='

export type Match =
  | {
      op: Comparison
      value: string
      isPattern: boolean
      /** `<130` in `software:firefox<130`. */
      version?: { op: Comparison; value: string }
    }
  /** Both ends included. */
  | { op: '..'; from: string; to: string }

/** The `is:` terms, in the order of the help text. */
export const SEARCH_FLAGS = [
  'is:online',
  'is:away',
  'is:offline',
  'is:overdue',
  'is:expired',
  'is:checksfailing',
  'is:checksold',
  'is:noresults',
  'is:patchespending',
  'is:actionspending',
  'is:rebootneeded',
  'is:maintenance',
  'is:server',
  'is:workstation',
  'is:windows',
  'is:linux',
  'is:mac',
] as const
export type SearchFlag = (typeof SEARCH_FLAGS)[number]

/** Terms for facts that do not change with the state of a machine. */
export const STABLE_FLAGS: ReadonlySet<SearchFlag> = new Set([
  'is:server',
  'is:workstation',
  'is:windows',
  'is:linux',
  'is:mac',
])

/** Only the last one of these in a row of terms counts. */
export const AVAILABILITY: ReadonlySet<SearchFlag> = new Set([
  'is:online',
  'is:away',
  'is:offline',
  'is:overdue',
])

export function isSearchFlag(text: string): text is SearchFlag {
  return (SEARCH_FLAGS as readonly string[]).includes(text)
}

/** The shortest text of a search, by which equal ones are recognized. Parsing it gives the same tree. */
export function formatSearch(node: SearchNode | undefined): string {
  return node === undefined ? '' : format(node)
}

function format(node: SearchNode): string {
  switch (node.kind) {
    case 'and':
      return node.parts.map((part) => (part.kind === 'or' ? `(${format(part)})` : format(part))).join(' ')
    case 'or':
      return node.parts.map(format).join(' or ')
    case 'not':
      return node.part.kind === 'and' || node.part.kind === 'or'
        ? `-(${format(node.part)})`
        : `-${format(node.part)}`
    case 'text':
      return node.isPattern ? node.text : quoteText(node.text)
    case 'flag':
      return node.flag
    case 'field':
      return formatTerm(node)
  }
}

export function formatTerm({ field, matches }: FieldTerm): string {
  const custom = splitCustomName(field)
  const name = custom === undefined ? field : `${custom.prefix}.${quoteText(custom.name)}`
  const [first] = matches
  // Only an item of a list may have spaces without quotes.
  if (matches.length === 1 && first !== undefined && !/\s/.test(formatMatch(first).replace(/".*"/, ''))) {
    return first.op === '..' ? `${name}:${formatMatch(first)}` : `${name}${first.op}${formatMatch(first)}`
  }
  const items = matches.map((match) =>
    match.op === ':' || match.op === '..' ? formatMatch(match) : `${match.op}${formatMatch(match)}`,
  )
  return `${name}:(${items.join(', ')})`
}

function formatMatch(match: Match): string {
  if (match.op === '..') return `${match.from}..${match.to}`
  const value = match.isPattern ? match.value : quoteText(match.value)
  const { version } = match
  return version === undefined ? value : `${value}${version.op}${quoteText(version.value)}`
}

const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_@/+.%-]*$/u
const KEYWORDS = new Set(['or', 'and', 'not'])

/** A text as one term: in quotes unless it is a plain word. A quote in it is doubled. */
export function quoteText(text: string): string {
  const isPlain = PLAIN.test(text) && !KEYWORDS.has(fold(text)) && !text.includes('..')
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`
}

/** All terms with a field, including those inside of brackets. */
export function termsOf(node: SearchNode | undefined): FieldTerm[] {
  if (node === undefined) return []
  if (node.kind === 'field') return [node]
  if (node.kind === 'not') return termsOf(node.part)
  return node.kind === 'and' || node.kind === 'or' ? node.parts.flatMap(termsOf) : []
}

/** The parts of a search that must all match. */
export function partsOf(node: SearchNode | undefined): readonly SearchNode[] {
  if (node === undefined) return []
  return node.kind === 'and' ? node.parts : [node]
}

/** Whether every match of the second search certainly matches the first one too. */
export function isNarrower(before: SearchNode | undefined, after: SearchNode | undefined): boolean {
  const next = partsOf(after)
  const texts = new Set(next.map(format))
  return partsOf(before).every(
    (old) =>
      texts.has(format(old)) ||
      (old.kind === 'text' &&
        !old.isPattern &&
        next.some((part) => part.kind === 'text' && !part.isPattern && part.text.includes(old.text))),
  )
}
