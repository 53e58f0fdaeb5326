import type { Generated } from 'kysely'

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
