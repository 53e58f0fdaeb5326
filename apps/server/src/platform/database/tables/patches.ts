import type { Generated } from 'kysely'

/** Available patches of a machine. There is no row before its first scan. */
export interface MachinePatchesTable {
  /** `id` of the agent. */
  agent: number
  /** Hash of the whole list, computed by the agent. */
  hash: string
  /** JSON list of the feature's StoredPatch. */
  patches: string
  /** The highest number assigned so far. Numbers are never reused. */
  last_number: Generated<number>
  pending: number
  left_out: number
  problem: string | null
  looked_at: string
  /** NULL = every scan has failed so far. */
  changed_at: string | null
}
