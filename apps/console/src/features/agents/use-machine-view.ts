import type { AgentRow } from '@muster/contract/api/agents'
import { useEffect, useMemo, useState } from 'react'
import { MachineOrder } from './machine-order.ts'
import { MachineSearchMemory } from './machine-search-memory.ts'
import { prepareSearch } from './search-machines.ts'
import type { MachineSort } from './sort-machines.ts'

const NONE: readonly AgentRow[] = []

export interface MachineView {
  /** Those that fit the search, in order. */
  shown: readonly AgentRow[]
  total: number
  /** What the search took. */
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
