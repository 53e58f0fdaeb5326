import type { Generated } from 'kysely'

export interface AuditLogTable {
  id: Generated<number>
  entry_time: string
  username: string
  agent_id: string | null
  /** Names as they were, so that the row stays readable after a deletion. */
  agent: string | null
  client_id: number | null
  client: string | null
  site_id: number | null
  site: string | null
  action: string
  object_type: string
  message: string
  /** JSON or null. */
  before_value: string | null
  after_value: string | null
  ip_address: string
}

/** Named values of the whole server, JSON each; secrets among them are encrypted. */
export interface SettingsTable {
  name: string
  value: string
}
