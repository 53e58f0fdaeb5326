import type { AgentRow } from '@muster/contract/api/agents'
import { fold, searchText } from '@muster/rules/search/search-text'

/** A search that can be evaluated. */
export interface MachineQuery {
  /** The rows that match, in order; the same list if all match by definition. */
  find: (rows: readonly AgentRow[], nowMs: number) => readonly AgentRow[]
  /** Whether every machine that it finds is found by another query too. */
  isWithin: (other: MachineQuery) => boolean
}

export const ALL_MACHINES: MachineQuery = { find: (rows) => rows, isWithin: () => false }

/** The searched text of a row, cached as long as the row is the same object. */
const haystacks = new WeakMap<AgentRow, string>()

export function haystackOf(row: AgentRow): string {
  const known = haystacks.get(row)
  if (known !== undefined) return known
  const text = searchText(row)
  haystacks.set(row, text)
  return text
}

/** The rows that contain every word, for lists in which a user picks machines. */
export function searchByText(rows: readonly AgentRow[], text: string): readonly AgentRow[] {
  const words = fold(text)
    .split(/\s+/)
    .filter((word) => word !== '')
  return rows.filter((row) => words.every((word) => haystackOf(row).includes(word)))
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
