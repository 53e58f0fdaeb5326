import type { AgentRow } from '@muster/contract/api/agents'
import { compileSearch, parseSearch, searchText } from '@muster/rules/search/machine-search'

/** The searched text of a row, cached as long as the row is the same object. */
const haystacks = new WeakMap<AgentRow, string>()

function haystackOf(row: AgentRow): string {
  const known = haystacks.get(row)
  if (known !== undefined) return known
  const text = searchText(row)
  haystacks.set(row, text)
  return text
}

/** The rows that match the search, in order; the same list for an empty search. */
export function searchMachines(rows: readonly AgentRow[], text: string, nowMs: number): readonly AgentRow[] {
  const { words, flags } = parseSearch(text)
  if (words.length === 0 && flags.length === 0) return rows
  const fits = compileSearch(text, nowMs)
  const needsText = words.length > 0
  return rows.filter((row) => fits(row, needsText ? haystackOf(row) : ''))
}

const SLICE = 500

/** Builds the search texts when idle, so that the first key press finds them ready. */
export function prepareSearch(rows: readonly AgentRow[]): () => void {
  let at = 0
  let handle = requestIdleCallback(work)
  function work(deadline: IdleDeadline) {
    while (at < rows.length && deadline.timeRemaining() > 4) {
      for (const row of rows.slice(at, at + SLICE)) haystackOf(row)
      at += SLICE
    }
    if (at < rows.length) handle = requestIdleCallback(work)
  }
  return () => cancelIdleCallback(handle)
}
