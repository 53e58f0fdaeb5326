import { compileSearch, type SearchContext } from '@muster/rules/search/machine-search'
import { type ParsedSearch, parseSearch } from '@muster/rules/search/parse-search'
import { type CustomSearchField, isRemoteField } from '@muster/rules/search/search-fields'
import { formatTerm, isNarrower, type SearchNode, termsOf } from '@muster/rules/search/search-tree'
import { haystackOf, type MachineQuery } from './search-machines.ts'

/** The search language for the machines table. Loaded when the search is first used. */

export interface ReadSearch {
  parsed: ParsedSearch
  /** A search for the terms that only the server can answer, so that other terms can change without a request. */
  remote: string | undefined
}

export function readSearch(text: string, customFields: readonly CustomSearchField[]): ReadSearch {
  const parsed = parseSearch(text, customFields)
  const terms = termsOf(parsed.node).filter(({ field }) => isRemoteField(field))
  const remote = terms.length === 0 ? undefined : [...new Set(terms.map(formatTerm))].toSorted().join(' or ')
  return { parsed, remote }
}

type QueryContext = Omit<SearchContext, 'nowMs'>

const sources = new WeakMap<MachineQuery, QueryContext & { node: SearchNode | undefined }>()

export function createMachineQuery(node: SearchNode | undefined, context: QueryContext): MachineQuery {
  const query: MachineQuery = {
    find(rows, nowMs) {
      if (node === undefined) return rows
      const { matches, needsText } = compileSearch(node, { ...context, nowMs })
      return rows.filter((row) => matches(row, needsText ? haystackOf(row) : ''))
    },
    isWithin(other) {
      const known = sources.get(other)
      return (
        known?.sets === context.sets &&
        known.customFields === context.customFields &&
        isNarrower(known.node, node)
      )
    },
  }
  sources.set(query, { ...context, node })
  return query
}

export interface SearchPart {
  text: string
  kind: 'text' | 'term' | 'error'
}

/** Splits the text into pieces that concatenate to it, to highlight terms with a field and the error. */
export function splitSearch(text: string, customFields: readonly CustomSearchField[] = []): SearchPart[] {
  const { spans, error } = parseSearch(text, customFields)
  const marks = [
    ...spans.map((span) => ({ ...span, kind: 'term' as const })),
    ...(error === undefined ? [] : [{ ...error, kind: 'error' as const }]),
  ].toSorted((a, b) => a.from - b.from)
  const parts: SearchPart[] = []
  let at = 0
  for (const { from, to, kind } of marks) {
    if (from < at) continue
    parts.push({ text: text.slice(at, from), kind: 'text' }, { text: text.slice(from, to), kind })
    at = to
  }
  return [...parts, { text: text.slice(at), kind: 'text' as const }].filter((part) => part.text !== '')
}
