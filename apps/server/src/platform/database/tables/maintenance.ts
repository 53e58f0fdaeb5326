import type { Generated } from 'kysely'

export interface MaintenanceWindowsTable {
  id: Generated<number>
  reason: string
  /** JSON of the contract's MaintenanceSchedule. */
  schedule: string
  /** Occurrences that started before are over, whatever the schedule says. */
  ended_at: string | null
  created_by: string
  created_at: string
  modified: string
}

/** Exactly one of the three ids is set. */
export interface MaintenanceTargetsTable {
  id: Generated<number>
  window_id: number
  client_id: number | null
  site_id: number | null
  agent_id: string | null
}

/** When a machine was in maintenance mode, by a window or a user. At most one period is open. */
export interface MaintenancePeriodsTable {
  id: Generated<number>
  agent_id: string
  /** Unix seconds. */
  started_at: number
  ended_at: number | null
  reason: string
}
