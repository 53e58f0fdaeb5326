import { didYouMean, findValueProblem } from './check-value.ts'
import {
  type CustomSearchField,
  customField,
  findSearchField,
  SEARCH_FIELDS,
  type SearchField,
} from './search-fields.ts'
import {
  AVAILABILITY,
  type Comparison,
  type FieldTerm,
  isSearchFlag,
  type Match,
  SEARCH_FLAGS,
  type SearchNode,
  splitCustomName,
} from './search-tree.ts'
import { nearestNames } from './search-values.ts'
import { fold } from './search-text.ts'

/** Offsets in the text of the search; `to` is exclusive. */
export interface SearchError {
  from: number
  to: number
  message: string
}

/** A term with a field or an `is:` term, to highlight it. */
export interface SearchSpan {
  from: number
  to: number
}

/** `node` is undefined for an empty search, which every machine matches. */
export type ParsedSearch =
  | { node: SearchNode | undefined; spans: SearchSpan[]; error?: undefined }
  | { node?: undefined; spans: SearchSpan[]; error: SearchError }

export const MAX_SEARCH_LENGTH = 2000
const MAX_DEPTH = 20
const MAX_TERMS = 200

/** Reads a search. Never throws; the work grows with the length of the text, which is limited. */
export function parseSearch(text: string, customFields: readonly CustomSearchField[] = []): ParsedSearch {
  const parser = new Parser(text, customFields)
  try {
    return { node: parser.parse(), spans: parser.spans }
  } catch (error) {
    if (error instanceof Problem) return { error: error.problem, spans: parser.spans }
    throw error
  }
}

class Problem extends Error {
  problem: SearchError

  constructor(problem: SearchError) {
    super(problem.message)
    this.problem = problem
  }
}

const SPACE = /\s/u
// A control character, or half of a character.
const UNREADABLE = /[^\P{Cc}\t\n\r]|\p{Cs}/u
const NAME = /[\p{L}_][\p{L}\p{N}\p{M}_.-]*/uy
const OPERATOR = /:?(<=|>=|<|>|!=|=)|:/y
const COMPARISON = /<=|>=|<|>|=/y
const UNIT = / +([a-z]{1,3}|%)(?=[\s,)]|$)/iy
const KEYWORD = /(or|and|not)(?=[\s()]|$)/iy
/** An address with colons: IPv6, or a MAC address. */
const ADDRESS = /^(?=.*:.*:)[\da-f:.]+(%\w+)?(\/\d+)?$/i
/** Rows do not have it, so the word also searches the field `mac`. */
const MAC = /^[\da-f]{2}([:-][\da-f]{2}){5}$/

class Parser {
  spans: SearchSpan[] = []
  #text: string
  #customFields: readonly CustomSearchField[]
  #at = 0
  #depth = 0
  #terms = 0

  constructor(text: string, customFields: readonly CustomSearchField[]) {
    this.#text = text
    this.#customFields = customFields
  }

  parse(): SearchNode | undefined {
    if (this.#text.length > MAX_SEARCH_LENGTH) {
      this.#fail(MAX_SEARCH_LENGTH, this.#text.length, 'A search can have at most 2,000 characters.')
    }
    const unreadable = UNREADABLE.exec(this.#text)
    if (unreadable !== null) {
      this.#fail(unreadable.index, unreadable.index + 1, 'Remove the control character.')
    }
    this.#skipSpace()
    if (this.#at === this.#text.length) return undefined
    const node = this.#either()
    if (this.#at < this.#text.length) {
      this.#fail(this.#at, this.#at + 1, 'This bracket closes nothing. Remove it, or put the text in quotes.')
    }
    return node
  }

  #either(): SearchNode {
    const parts = [this.#all('Enter a term.')]
    for (let from = this.#at; this.#take('or'); from = this.#at) {
      parts.push(this.#all('Enter a term after "or".', from))
    }
    return join('or', parts)
  }

  #all(missing: string, from = this.#at): SearchNode {
    const parts: SearchNode[] = []
    for (;;) {
      this.#skipSpace()
      if (this.#isEnd() || this.#peekKeyword() === 'or') break
      const start = this.#at
      if (this.#take('and')) {
        if (parts.length === 0) this.#fail(start, this.#at, 'Enter a term before "and".')
        this.#skipSpace()
        if (this.#isEnd() || this.#peekKeyword() !== undefined)
          this.#fail(start, this.#at, 'Enter a term after "and".')
        continue
      }
      parts.push(this.#one())
    }
    if (parts.length === 0) this.#fail(from, Math.max(this.#at, from + 1), missing)
    return join('and', parts)
  }

  #one(): SearchNode {
    const from = this.#at
    this.#depth += 1
    if (this.#depth > MAX_DEPTH)
      this.#fail(from, from + 1, 'A search can have at most 20 levels of brackets.')
    const node = this.#negated() ?? this.#group() ?? this.#term()
    this.#depth -= 1
    return node
  }

  #negated(): SearchNode | undefined {
    const from = this.#at
    const next = this.#text[from + 1]
    if (this.#text[from] === '-' && next !== undefined && !SPACE.test(next) && next !== ')') {
      this.#at += 1
    } else if (!this.#take('not')) {
      return undefined
    }
    this.#skipSpace()
    if (this.#isEnd() || this.#peekKeyword() === 'or' || this.#peekKeyword() === 'and') {
      this.#fail(from, this.#at, 'Enter a term after "not".')
    }
    return { kind: 'not', part: this.#one() }
  }

  #group(): SearchNode | undefined {
    const from = this.#at
    if (this.#text[from] !== '(') return undefined
    this.#at += 1
    this.#skipSpace()
    const node = this.#either()
    if (this.#text[this.#at] !== ')') this.#fail(from, from + 1, 'This bracket is not closed.')
    this.#at += 1
    return node
  }

  #term(): SearchNode {
    const from = this.#at
    this.#terms += 1
    if (this.#terms > MAX_TERMS) this.#fail(from, from + 1, 'A search can have at most 200 terms.')
    if (this.#text[from] === '"') return { kind: 'text', text: fold(this.#quoted()), isPattern: false }
    const term = this.#fieldTerm()
    if (term !== undefined) {
      this.spans.push({ from, to: this.#at })
      return term
    }
    const word = fold(this.#word())
    const text = { kind: 'text' as const, text: word, isPattern: word.includes('*') }
    if (!MAC.test(word)) return text
    const mac: FieldTerm = {
      kind: 'field',
      field: 'mac',
      matches: [{ op: ':', value: word, isPattern: false }],
    }
    return { kind: 'or', parts: [text, mac] }
  }

  /** Undefined, and the position unchanged, if no field stands here. */
  #fieldTerm(): SearchNode | undefined {
    const from = this.#at
    const name = this.#fieldName()
    if (name === undefined) return undefined
    const nameEnd = this.#at
    const field = this.#findField(name)
    const op = this.#operator(field !== undefined)
    if (op === undefined || (op === ':' && this.#isPlainText(from, name))) {
      this.#at = from
      return undefined
    }
    const lower = name.toLowerCase()
    if (op === ':' && (lower === 'is' || lower === 'not')) return this.#flag(from, lower)
    if (field === undefined) return this.#fail(from, nameEnd, this.#unknownField(name))
    this.#skipSpace()
    const matches =
      this.#text[this.#at] === '(' ? this.#list(field, op) : [this.#match(field, op, { isItem: false })]
    const term: FieldTerm = { kind: 'field', field: field.name, matches }
    return op === '!=' ? { kind: 'not', part: term } : term
  }

  #fieldName(): string | undefined {
    const from = this.#at
    NAME.lastIndex = from
    const [name] = NAME.exec(this.#text) ?? []
    if (name === undefined) return undefined
    this.#at += name.length
    if (splitCustomName(name)?.name === '' && this.#text[this.#at] === '"') return name + this.#quoted()
    return name
  }

  #findField(name: string): SearchField | undefined {
    const prefixed = splitCustomName(name)
    const found = prefixed === undefined ? findSearchField(fold(name)) : undefined
    if (found !== undefined) return found
    const exact = prefixed?.name ?? name
    const own = fold(exact)
    const fields = this.#customFieldsOf(prefixed?.model ?? 'agent')
    const custom =
      fields.find((field) => field.name === exact) ??
      fields.find((field) => fold(field.name) === own) ??
      fields.find((field) => fold(field.name).replaceAll(/\s/g, '_') === own)
    return custom && customField(custom)
  }

  #customFieldsOf(wanted: CustomSearchField['model']): CustomSearchField[] {
    return this.#customFields.filter(({ model = 'agent' }) => model === wanted)
  }

  /** After a known field, spaces may precede a comparison: `ram < 8gb`. */
  #operator(isKnown: boolean): Comparison | '!=' | undefined {
    const from = this.#at
    if (isKnown) this.#skipSpace()
    OPERATOR.lastIndex = this.#at
    const [operator, comparison] = OPERATOR.exec(this.#text) ?? []
    if (operator === undefined || (this.#at > from && comparison === undefined)) {
      this.#at = from
      return undefined
    }
    this.#at += operator.length
    return (comparison ?? ':') as Comparison | '!='
  }

  /** An address of the web, a Windows path, or an IPv6 or MAC address, which only looks like a field. */
  #isPlainText(from: number, name: string): boolean {
    if (this.#text.startsWith('//', this.#at)) return true
    if (name.length === 1 && /[\\/]/.test(this.#text[this.#at] ?? '')) return true
    const end = this.#text.slice(from).search(/[\s()]/)
    return ADDRESS.test(this.#text.slice(from, end === -1 ? undefined : from + end))
  }

  #flag(from: number, prefix: 'is' | 'not'): SearchNode {
    const valueFrom = this.#at
    const value = fold(this.#word())
    const flag = `is:${value}`
    if (value === '')
      return this.#fail(from, valueFrom, `Enter a state after "${prefix}:", such as ${prefix}:offline.`)
    if (!isSearchFlag(flag)) {
      const states = SEARCH_FLAGS.map((known) => known.slice(3))
      const near = nearestNames(value, states).map((state) => `${prefix}:${state}`)
      return this.#fail(from, this.#at, `There is no ${prefix}:${value}.${didYouMean(near)}`)
    }
    const node: SearchNode = { kind: 'flag', flag }
    return prefix === 'is' ? node : { kind: 'not', part: node }
  }

  #unknownField(name: string): string {
    const prefixed = splitCustomName(name)
    const isCustom = prefixed !== undefined
    const { model = 'agent', prefix = 'cf' } = prefixed ?? {}
    const custom = this.#customFieldsOf(model).map((field) => `${prefix}.${field.name}`)
    const known = isCustom ? custom : SEARCH_FIELDS.flatMap((field) => [field.name, ...(field.aliases ?? [])])
    const near = nearestNames(name, isCustom ? known : [...known, 'is', 'not'])
    const found = near.length === 0 && !isCustom ? nearestNames(`cf.${name}`, custom) : near
    const hint = found.length === 0 ? ' To search for this text, put it in quotes.' : didYouMean(found)
    // A host may be named client.local.
    if (isCustom && model !== 'agent') return `There is no custom field ${prefixed.name} of ${model}s.${hint}`
    if (isCustom) return `There is no custom field ${prefixed.name}.${didYouMean(found)}`
    return `There is no field ${name}.${hint}`
  }

  #list(field: SearchField, op: Comparison | '!='): Match[] {
    const from = this.#at
    const matches: Match[] = []
    do {
      this.#at += 1
      this.#skipSpace()
      COMPARISON.lastIndex = this.#at
      const [own] = COMPARISON.exec(this.#text) ?? []
      this.#at += own?.length ?? 0
      this.#skipSpace()
      matches.push(this.#match(field, (own ?? op) as Comparison | '!=', { isItem: true }))
      this.#skipSpace()
      if (matches.length > MAX_TERMS) this.#fail(from, this.#at, 'A list can have at most 200 values.')
    } while (this.#text[this.#at] === ',')
    if (this.#text[this.#at] !== ')') this.#fail(from, from + 1, 'This bracket is not closed.')
    this.#at += 1
    return matches
  }

  #match(field: SearchField, op: Comparison | '!=', { isItem }: { isItem: boolean }): Match {
    const comparison = op === '!=' ? '=' : op
    const from = this.#at
    const isQuoted = this.#text[from] === '"'
    const written = isQuoted ? this.#quoted() : isItem ? this.#item() : this.#word()
    const unit = isQuoted ? '' : this.#unitAfter(field, comparison, written)
    const to = this.#at
    if (written === '' && !isQuoted) {
      return this.#fail(from, Math.max(to, from + 1), `Enter a value for ${field.name}.`)
    }
    const value = fold(written + unit)
    const isPattern = !isQuoted && value.includes('*')
    if (field.takesVersion === true) {
      const found = isQuoted ? this.#versionAfter(value, isItem) : splitVersion(value)
      if (found !== undefined) {
        const { name, version } = found
        if (name === '' || version.value === '') {
          this.#fail(from, this.#at, 'Enter a name and a version, such as firefox<130.')
        }
        return { op: comparison, value: name, isPattern: isPattern && name.includes('*'), version }
      }
    }
    const match = isQuoted ? undefined : toRange(field, comparison, value)
    const read = match ?? { op: comparison, value, isPattern }
    const problem = findValueProblem(field, read)
    if (problem !== undefined) this.#fail(from, to, problem)
    return read
  }

  /** The unit in `8 gb`, after a number that needs one. */
  #unitAfter(field: SearchField, op: Comparison, number: string): string {
    UNIT.lastIndex = this.#at
    const [spaced, unit] = UNIT.exec(this.#text) ?? []
    if (spaced === undefined || unit === undefined || !/^\d+(\.\d+)?$/.test(number)) return ''
    const toMatch = (value: string): Match => ({ op, value: fold(value), isPattern: false })
    if (findValueProblem(field, toMatch(number)) === undefined) return ''
    if (findValueProblem(field, toMatch(number + unit)) !== undefined) return ''
    this.#at += spaced.length
    return unit
  }

  #versionAfter(name: string, isItem: boolean): NamedVersion | undefined {
    COMPARISON.lastIndex = this.#at
    const [op] = COMPARISON.exec(this.#text) ?? []
    if (op === undefined) return undefined
    this.#at += op.length
    const value = this.#text[this.#at] === '"' ? this.#quoted() : isItem ? this.#item() : this.#word()
    return { name, version: { op: op as Comparison, value: fold(value).trim() } }
  }

  /** A text in quotes. Two quotes in it stand for one. */
  #quoted(): string {
    const from = this.#at
    let value = ''
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at] ?? ''
      if (char !== '"') value += char
      else if (this.#text[this.#at + 1] === '"') {
        value += char
        this.#at += 1
      } else {
        this.#at += 1
        return value.replaceAll(/\s/gu, ' ')
      }
    }
    return this.#fail(from, from + 1, 'This quote is not closed.')
  }

  /** Up to the next space or the bracket that closes a group. */
  #word(): string {
    return this.#until((char) => SPACE.test(char))
  }

  /** An item of a list, which may have spaces. */
  #item(): string {
    const text = this.#until((char) => char === ',')
    const item = text.trimEnd()
    this.#at -= text.length - item.length
    return item
  }

  #until(isEnd: (char: string) => boolean): string {
    const from = this.#at
    let open = 0
    for (; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at] ?? ''
      if (isEnd(char)) break
      if (char === '(') open += 1
      else if (char === ')') {
        if (open === 0) break
        open -= 1
      }
    }
    return this.#text.slice(from, this.#at)
  }

  #take(keyword: 'or' | 'and' | 'not'): boolean {
    this.#skipSpace()
    if (this.#peekKeyword() !== keyword) return false
    this.#at += keyword.length
    return true
  }

  #peekKeyword(): string | undefined {
    KEYWORD.lastIndex = this.#at
    return KEYWORD.exec(this.#text)?.[1]?.toLowerCase()
  }

  #isEnd(): boolean {
    return this.#at >= this.#text.length || this.#text[this.#at] === ')'
  }

  #skipSpace(): void {
    while (this.#at < this.#text.length && SPACE.test(this.#text[this.#at] ?? '')) this.#at += 1
  }

  #fail(from: number, to: number, message: string): never {
    const end = Math.min(Math.max(to, from + 1), this.#text.length)
    throw new Problem({ from: Math.min(from, Math.max(0, end - 1)), to: end, message })
  }
}

function join(kind: 'and' | 'or', parts: SearchNode[]): SearchNode {
  const all = parts.flatMap((part) => (part.kind === kind ? part.parts : [part]))
  const flat = kind === 'and' ? lastAvailability(all) : all
  const [first] = flat
  return flat.length === 1 && first !== undefined ? first : { kind, parts: flat }
}

/** Only the last one of several availability terms beside each other counts. */
function lastAvailability(parts: readonly SearchNode[]): SearchNode[] {
  const isAvailability = (part: SearchNode) => part.kind === 'flag' && AVAILABILITY.has(part.flag)
  const last = parts.findLast(isAvailability)
  return parts.filter((part) => part === last || !isAvailability(part))
}

interface NamedVersion {
  name: string
  version: { op: Comparison; value: string }
}

function splitVersion(text: string): NamedVersion | undefined {
  const [, name, op, value] = /^([^<>=]*)(<=|>=|<|>|=)(.*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) return undefined
  return { name: name.trim(), version: { op: op as Comparison, value: unquote(value.trim()) } }
}

/** `firefox<"130"` */
function unquote(text: string): string {
  return /^"(?:[^"]|"")*"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text
}

/** `4gb..8gb`, or with one end only. Texts have no ranges. */
function toRange({ type }: SearchField, op: Comparison, value: string): Match | undefined {
  if (type === 'text' || type === 'choice' || type === 'flag' || (op !== ':' && op !== '=')) return undefined
  const [from = '', to, more] = value.split('..')
  if (to === undefined || more !== undefined) return undefined
  if (from.trim() === '') return { op: '<=', value: to.trim(), isPattern: false }
  if (to.trim() === '') return { op: '>=', value: from.trim(), isPattern: false }
  return { op: '..', from: from.trim(), to: to.trim() }
}
