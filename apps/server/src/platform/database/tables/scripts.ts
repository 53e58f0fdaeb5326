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
  /** Of a built-in script: its name in the index of the starter set. */
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
  /** With snippets in place. */
  code: string
  /** Empty = it was in use before approvals were kept. */
  approved_by: string
  approved_at: string
}

/** What a script was before somebody changed it. */
export interface ScriptVersionsTable {
  id: Generated<number>
  script_id: number
  /** Who saved this state, and when. */
  username: string
  saved_at: string
  /** JSON of the parts that a person sets. */
  content: string
}
