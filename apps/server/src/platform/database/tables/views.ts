import type { Generated } from 'kysely'

/** A saved view of the machines table. */
export interface MachineViewsTable {
  id: Generated<number>
  name: string
  /** The user who made it. */
  user_id: number
  /** 1 = every user may open it. */
  shared: 0 | 1
  search: string
  /** As in the address: `-status`; empty = the default order. */
  sort: string
  /** JSON of the contract's MachineColumnChoices. */
  columns: string
  created_at: string
  modified: string
}
