import type { Generated } from 'kysely'

export interface AuditLogTable {
  id: Generated<number>
  entry_time: string
  username: string
  /** The name of the API key that the user's program used. */
  api_key: string | null
  agent_id: string | null
  /** Names at that time, so that the row stays readable after a deletion. */
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

/** Server-wide settings, each as JSON. Secrets are encrypted. */
export interface SettingsTable {
  name: string
  value: string
}
