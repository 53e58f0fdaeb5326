import type { AgentRow } from '@muster/contract/api/agents'
import { replacedSince } from './machine-rows.ts'
import { type MachineSort, resortMachines, sortMachines } from './sort-machines.ts'

/** Remembers the order it made last: a list that differs by a few replaced rows costs a few rows. */
export class MachineOrder {
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
