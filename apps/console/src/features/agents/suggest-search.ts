import type { AgentRow } from '@muster/contract/api/agents'
import {
  type CustomSearchField,
  customField,
  findSearchField,
  SEARCH_FIELDS,
  type SearchField,
} from '@muster/rules/search/search-fields'
import { quoteText, SEARCH_FLAGS, splitCustomName } from '@muster/rules/search/search-tree'
import { fold } from '@muster/rules/search/search-text'

export interface Suggestion {
  /** Replaces the text from `from` up to the caret. */
  text: string
  help: string
}

export interface Suggestions {
  from: number
  items: Suggestion[]
}

interface Known {
  customFields: readonly CustomSearchField[]
  rows: readonly AgentRow[]
}

const MAX_ITEMS = 8
const STATE = /(?:^|[\s(-])(is|not):(\w*)$/i
const VALUE =
  /(?:^|[\s(-])((?:cf|client|site)\."(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}\p{M}_.-]*)\s*([:=])(\((?:[^()"]|"[^"]*")*?(?:,\s*|(?<=\()))?("?)([^\s",()]*|(?<=")[^"]*)$/u
const NAME = /(?:^|[\s(-])([\p{L}_][\p{L}\p{N}\p{M}_.]*)$/u

/** Terms for the caret: fields, states, or values that occur. Undefined if there is nothing to suggest. */
export function suggestSearch(text: string, caret: number, known: Known): Suggestions | undefined {
  const before = text.slice(0, caret)
  const suggestions = suggestState(before) ?? suggestValue(before, known) ?? suggestField(before, known)
  return suggestions === undefined || suggestions.items.length === 0 ? undefined : suggestions
}

function suggestState(before: string): Suggestions | undefined {
  const [, prefix, typed] = STATE.exec(before) ?? []
  if (prefix === undefined || typed === undefined) return undefined
  const states = SEARCH_FLAGS.map((flag) => flag.slice(3)).filter((state) => state.startsWith(fold(typed)))
  const items = states.filter((state) => state !== fold(typed)).map((state) => ({ text: state, help: '' }))
  return { from: before.length - typed.length, items }
}

function suggestField(before: string, { customFields }: Known): Suggestions | undefined {
  if (isInQuotes(before)) return undefined
  const [, typed] = NAME.exec(before) ?? []
  if (typed === undefined || typed.length < 2) return undefined
  const start = fold(typed)
  const own = customFields.map(customField)
  const fits = ({ name, aliases = [] }: SearchField) =>
    [name, ...aliases, splitCustomName(name)?.name ?? ''].some((one) => fold(one).startsWith(start)) // prettier-ignore
  const states = ['is', 'not'].filter((prefix) => prefix.startsWith(start))
  const items = [
    ...states.map((prefix) => ({
      text: `${prefix}:`,
      help: prefix === 'is' ? 'In a state' : 'Not in a state',
    })),
    ...[...SEARCH_FIELDS, ...own].filter(fits).map((field) => ({ text: fieldText(field), help: field.help })),
  ]
  return { from: before.length - typed.length, items: items.slice(0, MAX_ITEMS) }
}

/** A field with the operator that its values need. */
function fieldText({ name, type }: SearchField): string {
  const custom = splitCustomName(name)
  const written = custom === undefined ? name : `${custom.prefix}.${quoteText(custom.name)}`
  return `${written}${type === 'text' || type === 'choice' || type === 'flag' || type === 'version' ? ':' : '<'}`
}

function suggestValue(before: string, { customFields, rows }: Known): Suggestions | undefined {
  const [, name, , , quote, typed] = VALUE.exec(before) ?? []
  if (name === undefined || quote === undefined || typed === undefined) return undefined
  const field = findField(name, customFields)
  if (field === undefined) return undefined
  const start = fold(typed)
  const from = before.length - typed.length - quote.length
  const values = [...fixedValues(field), ...occurringValues(field, rows)]
  const found = values.filter((value) => fold(value).includes(start) && fold(value) !== start)
  // Those that begin with it first.
  const sorted = found.toSorted(
    (a, b) => Number(fold(b).startsWith(start)) - Number(fold(a).startsWith(start)),
  )
  return {
    from,
    items: [...new Set(sorted)].slice(0, MAX_ITEMS).map((value) => ({ text: quoteText(value), help: '' })),
  }
}

function findField(name: string, customFields: readonly CustomSearchField[]): SearchField | undefined {
  const custom = splitCustomName(name)
  const asked = fold((custom?.name ?? name).replace(/^"(.*)"$/, '$1'))
  const known = custom === undefined ? findSearchField(asked) : undefined
  if (known !== undefined) return known
  const fields = customFields.filter(({ model = 'agent' }) => model === (custom?.model ?? 'agent'))
  const own = fields.find(
    (field) => fold(field.name) === asked || fold(field.name).replaceAll(' ', '_') === asked,
  )
  return own && customField(own)
}

function fixedValues(field: SearchField): readonly string[] {
  if (field.type === 'choice') return field.choices
  return field.type === 'flag' ? ['yes', 'no'] : (field.names ?? [])
}

/** Rows that are read for suggestions: enough to know the values that users look for. */
const MAX_ROWS = 20_000
const MAX_VALUE_LENGTH = 60

/** The values of a text in the rows, the most frequent first. */
function occurringValues(field: SearchField, rows: readonly AgentRow[]): string[] {
  if ((field.type !== 'text' && field.type !== 'version') || field.read === undefined) return []
  const counts = new Map<string, number>()
  for (const row of rows.slice(0, MAX_ROWS)) {
    const value = field.read(row)
    for (const one of typeof value === 'string' ? [value] : value) {
      if (one !== '' && one.length <= MAX_VALUE_LENGTH) counts.set(one, (counts.get(one) ?? 0) + 1)
    }
  }
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([value]) => value)
}

function isInQuotes(before: string): boolean {
  return before.split('"').length % 2 === 0
}
