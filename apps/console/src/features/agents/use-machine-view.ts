import type { AgentRow } from '@muster/contract/api/agents'
import { useEffect, useMemo, useState } from 'react'
import { type MachineQuery, prepareSearch } from './search-machines.ts'
import {
  isMetric,
  type MachineMetrics,
  type MachineSort,
  resortMachines,
  sortMachines,
} from './sort-machines.ts'
import { replacedSince } from './machine-rows.ts'
import { serverNow } from '../../ui/layout/server-clock.ts'

const NONE: readonly AgentRow[] = []

export interface MachineView {
  /** Rows that match the search, in order. */
  shown: readonly AgentRow[]
  total: number
  /** Duration of the search. */
  searchMs: number
}

/** Sorts and searches the machines. Without a query, which has an error or waits, the last one counts. */
export function useMachineView(
  rows: readonly AgentRow[] | undefined,
  { column, descending }: MachineSort,
  { query, metrics }: { query: MachineQuery | undefined; metrics: MachineMetrics },
): MachineView {
  const all = rows ?? NONE
  const [order] = useState(() => new MachineOrder())
  const [memory] = useState(() => new MachineSearchMemory())
  const sorted = useMemo(
    () => order.sort(all, { column, descending }, metrics),
    [order, all, column, descending, metrics],
  )
  useEffect(() => prepareSearch(all), [all])
  return useMemo(() => ({ ...memory.search(sorted, query), total: sorted.length }), [memory, sorted, query])
}

/** Remembers the last order: a list that differs by a few replaced rows costs a few rows. */
class MachineOrder {
  #last:
    | { rows: readonly AgentRow[]; sort: MachineSort; metrics: MachineMetrics; sorted: readonly AgentRow[] }
    | undefined

  sort(rows: readonly AgentRow[], sort: MachineSort, metrics: MachineMetrics): readonly AgentRow[] {
    const last = this.#last
    const isSame =
      last?.sort.column === sort.column &&
      last.sort.descending === sort.descending &&
      (last.metrics === metrics || !isMetric(sort.column))
    const replaced = isSame ? replacedSince(rows, last.rows) : undefined
    const sorted =
      last === undefined || replaced === undefined
        ? sortMachines(rows, sort, metrics)
        : resortMachines(last.sorted, replaced, sort, metrics)
    this.#last = { rows, sort, metrics, sorted }
    return sorted
  }
}

/** Remembers the last result: a search that can only narrow it scans only that. */
export class MachineSearchMemory {
  #last: { rows: readonly AgentRow[]; query: MachineQuery; found: readonly AgentRow[] } | undefined

  /** The matching machines in order, and the duration of the search. None if no search could be evaluated yet. */
  search(
    rows: readonly AgentRow[],
    query = this.#last?.query,
  ): { shown: readonly AgentRow[]; searchMs: number } {
    const startMs = performance.now()
    if (query === undefined) return { shown: NONE, searchMs: 0 }
    const last = this.#last
    const canNarrow = last?.rows === rows && query.isWithin(last.query)
    const found = query.find(canNarrow ? last.found : rows, serverNow())
    this.#last = { rows, query, found }
    return { shown: found, searchMs: performance.now() - startMs }
  }
}
