import type { Generated } from 'kysely'

export interface ScriptsTable {
  id: Generated<number>
  name: string
  description: string
  category: string
  shell: 'powershell' | 'cmd' | 'python' | 'shell' | 'nushell' | 'deno' | 'node'
  script_type: 'userdefined' | 'builtin'
  /** JSON list. */
  args: string
  /** JSON list of NAME=value. */
  env_vars: string
  /** JSON list of `ScriptParameter`. */
  parameters: Generated<string>
  filename: string
  syntax: string
  script_body: string
  script_hash: string
  default_timeout: number
  /** JSON list; empty = all. */
  supported_platforms: string
  favorite: 0 | 1
  hidden: 0 | 1
  run_as_user: 0 | 1
  /** Key of a built-in script in the index of the starter set. */
  builtin_key: Generated<string | null>
  created_at: string
  modified: string
}

export interface ScriptSnippetsTable {
  id: Generated<number>
  name: string
  description: string
  code: string
  shell: ScriptsTable['shell']
  created_at: string
  modified: string
}

/** The version of a script that may run on the server. */
export interface ServerScriptApprovalsTable {
  script_id: number
  shell: ScriptsTable['shell']
  /** Includes snippets. */
  code: string
  /** Empty = used before approvals existed. */
  approved_by: string
  approved_at: string
}

/** An earlier version of a script. */
export interface ScriptVersionsTable {
  id: Generated<number>
  script_id: number
  /** The user who saved this version, and the time. */
  username: string
  saved_at: string
  /** JSON of the editable fields. */
  content: string
}
