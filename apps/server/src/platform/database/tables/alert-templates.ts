import type { Generated } from 'kysely'

export interface AlertTemplatesTable {
  id: Generated<number>
  name: string
  is_active: 0 | 1
  /** JSON of the contract's AlertTemplateForm without its name and exclusions; each secret in it is sealed. */
  settings: string
  /** JSON. */
  exclusions: string
  /** The user who set up the scripts that it runs: keys of the store are read with this user's role. */
  author_id: Generated<number | null>
  created_at: string
  modified: string
}

/** What is run once because an alert opened, or because it is over. */
export interface AlertActionsTable {
  id: Generated<number>
  alert_id: number
  kind: 'failure' | 'resolved'
  /** As it was called then. */
  template_name: string
  /** Of the script, or the address. */
  name: string
  /** Sealed JSON of what is to be done, as the template had it then; empty once it is over. */
  work: string
  state: 'waiting' | 'running' | 'done' | 'failed' | 'called_off'
  /** How often a webhook was tried without success. */
  attempts: Generated<number>
  /** The run of the script in the history of the machine. */
  history_id: number | null
  created_at: string
  ended_at: string | null
  retcode: number | null
  execution_time: number | null
  /** The beginning of what was written or answered, or why it failed. */
  output: Generated<string>
}
