import type { Generated } from 'kysely'

export interface AlertTemplatesTable {
  id: Generated<number>
  name: string
  is_active: 0 | 1
  /** JSON of the contract's AlertTemplateForm without its name and exclusions; each secret in it is sealed. */
  settings: string
  /** JSON. */
  exclusions: string
  /** The user who set up its scripts. Keys of the store are read with this user's role. */
  author_id: Generated<number | null>
  created_at: string
  modified: string
}

/** Actions that run once because an alert opened or resolved. */
export interface AlertActionsTable {
  id: Generated<number>
  alert_id: number
  kind: 'failure' | 'resolved'
  /** Name at that time. */
  template_name: string
  /** Name of the script, or the URL. */
  name: string
  /** Sealed JSON of the action, as the template defined it then. Empty after it ended. */
  work: string
  state: 'waiting' | 'running' | 'done' | 'failed' | 'called_off'
  /** Number of failed attempts of a webhook. */
  attempts: Generated<number>
  /** The run of the script in the history of the machine. */
  history_id: number | null
  created_at: string
  ended_at: string | null
  retcode: number | null
  execution_time: number | null
  /** The beginning of the output or response, or the reason of the failure. */
  output: Generated<string>
}
