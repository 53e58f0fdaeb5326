import type { AgentRow } from '@muster/contract/api/agents'
import { useEffect, useMemo, useState } from 'react'
import { parseSearch } from '@muster/rules/search/machine-search'
import { prepareSearch, searchMachines } from './search-machines.ts'
import { type MachineSort, resortMachines, sortMachines } from './sort-machines.ts'
import { replacedSince } from './machine-rows.ts'

const NONE: readonly AgentRow[] = []

export interface MachineView {
  /** Rows that match the search, in order. */
  shown: readonly AgentRow[]
  total: number
  /** Duration of the search. */
  searchMs: number
}

/** Sorts and searches the machines. */
export function useMachineView(
  rows: readonly AgentRow[] | undefined,
  { column, descending }: MachineSort,
  text: string,
): MachineView {
  const all = rows ?? NONE
  const [order] = useState(() => new MachineOrder())
  const [memory] = useState(() => new MachineSearchMemory())
  const sorted = useMemo(() => order.sort(all, { column, descending }), [order, all, column, descending])
  useEffect(() => prepareSearch(all), [all])
  return useMemo(() => ({ ...memory.search(sorted, text), total: sorted.length }), [memory, sorted, text])
}

/** Remembers the last order: a list that differs by a few replaced rows costs a few rows. */
class MachineOrder {
  #last: { rows: readonly AgentRow[]; sort: MachineSort; sorted: readonly AgentRow[] } | undefined

  sort(rows: readonly AgentRow[], sort: MachineSort): readonly AgentRow[] {
    const last = this.#last
    const isSame = last?.sort.column === sort.column && last.sort.descending === sort.descending
    const replaced = isSame ? replacedSince(rows, last.rows) : undefined
    const sorted =
      last === undefined || replaced === undefined
        ? sortMachines(rows, sort)
        : resortMachines(last.sorted, replaced, sort)
    this.#last = { rows, sort, sorted }
    return sorted
  }
}

/** Remembers the last result: a search that can only narrow it scans only that. */
export class MachineSearchMemory {
  #last: { rows: readonly AgentRow[]; text: string; found: readonly AgentRow[] } | undefined

  /** The matching machines in order, and the duration of the search. */
  search(rows: readonly AgentRow[], text: string): { shown: readonly AgentRow[]; searchMs: number } {
    const startMs = performance.now()
    const last = this.#last
    const within = last?.rows === rows && isNarrower(last.text, text) ? last.found : rows
    const found = searchMachines(within, text, Date.now())
    this.#last = { rows, text, found }
    return { shown: found, searchMs: performance.now() - startMs }
  }
}

/** Whether every match of the second text matches the first one too. */
export function isNarrower(before: string, after: string): boolean {
  const [old, next] = [parseSearch(before), parseSearch(after)]
  return (
    old.flags.every((flag) => next.flags.includes(flag)) &&
    old.words.every((word) => next.words.some((longer) => longer.includes(word)))
  )
}
