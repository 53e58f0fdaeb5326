import type { Generated } from 'kysely'

/** What a machine may install. No row before its first look. */
export interface MachinePatchesTable {
  /** The `id` of the machine's row. */
  agent: number
  /** As the machine has made it of the whole list. */
  hash: string
  /** JSON list of the feature's StoredPatch. */
  patches: string
  /** The highest number that one of its patches has had: none is used twice. */
  last_number: Generated<number>
  pending: number
  left_out: number
  problem: string | null
  looked_at: string
  /** Null = there has never been a list, only problems. */
  changed_at: string | null
}
