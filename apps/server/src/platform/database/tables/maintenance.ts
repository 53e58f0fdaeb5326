import type { Generated } from 'kysely'

export interface MaintenanceWindowsTable {
  id: Generated<number>
  reason: string
  /** JSON of the contract's MaintenanceSchedule. */
  schedule: string
  /** What began up to here is over, whatever the schedule says. */
  ended_at: string | null
  created_by: string
  created_at: string
  modified: string
}

/** One of the three. */
export interface MaintenanceTargetsTable {
  id: Generated<number>
  window_id: number
  client_id: number | null
  site_id: number | null
  agent_id: string | null
}

/** When a machine was in maintenance mode, by a window or a person; one open period at most. */
export interface MaintenancePeriodsTable {
  id: Generated<number>
  agent_id: string
  /** Unix seconds. */
  started_at: number
  ended_at: number | null
  reason: string
}
