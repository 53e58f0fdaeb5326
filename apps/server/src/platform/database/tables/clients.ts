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

export interface CustomFieldsTable {
  id: Generated<number>
  /** Display order within a model. `order` on the wire. */
  position: number
  model: 'client' | 'site' | 'agent'
  type: 'text' | 'number' | 'single' | 'multiple' | 'checkbox' | 'datetime'
  /** JSON list. */
  options: string
  name: string
  required: 0 | 1
  default_value_string: string
  default_value_bool: 0 | 1
  /** JSON list. */
  default_values_multiple: string
  hide_in_ui: 0 | 1
  hide_in_summary: 0 | 1
  created_at: string
  modified: string
}

/** The value of a field for one client, site or machine: exactly one of the three is set. */
export interface CustomFieldValuesTable {
  id: Generated<number>
  field_id: number
  client_id: number | null
  site_id: number | null
  agent_id: string | null
  /** JSON: a text, a list of texts or a boolean, depending on the field's type. */
  value: string
}

export interface KeyStoreTable {
  id: Generated<number>
  name: string
  /** Sealed by platform/secrets. */
  value: string
  /** 0 = only the roles in key_store_roles, and superusers. */
  all_roles: Generated<0 | 1>
  created_at: string
  modified: string
}

/** A role that may use a key. */
export interface KeyStoreRolesTable {
  key_id: number
  role_id: number
}
