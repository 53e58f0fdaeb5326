import type { AgentRow } from '@muster/contract/api/agents'
import { parseSearch } from '@muster/rules/search/machine-search'
import { searchMachines } from './search-machines.ts'

/** Remembers what it found last: a search that can only find fewer looks through that alone. */
export class MachineSearchMemory {
  #last: { rows: readonly AgentRow[]; text: string; found: readonly AgentRow[] } | undefined

  /** The machines that fit, in their order, and the time that it took. */
  search(rows: readonly AgentRow[], text: string): { shown: readonly AgentRow[]; searchMs: number } {
    const startMs = performance.now()
    const last = this.#last
    const within = last?.rows === rows && isNarrower(last.text, text) ? last.found : rows
    const found = searchMachines(within, text, Date.now())
    this.#last = { rows, text, found }
    return { shown: found, searchMs: performance.now() - startMs }
  }
}

/** Whether whatever fits the second text fits the first one too. */
export function isNarrower(before: string, after: string): boolean {
  const [old, next] = [parseSearch(before), parseSearch(after)]
  return (
    old.flags.every((flag) => next.flags.includes(flag)) &&
    old.words.every((word) => next.words.some((longer) => longer.includes(word)))
  )
}
