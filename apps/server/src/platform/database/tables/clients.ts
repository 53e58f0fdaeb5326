import type { Generated } from 'kysely'

export interface ClientsTable {
  id: Generated<number>
  name: string
  block_policy_inheritance: Generated<0 | 1>
  alert_template_id: number | null
  created_at: string
}

export interface SitesTable {
  id: Generated<number>
  client_id: number
  name: string
  block_policy_inheritance: Generated<0 | 1>
  alert_template_id: number | null
  /** JSON: the alert templates of policies for alerts of the whole site. */
  policy_templates: Generated<string>
  created_at: string
}
