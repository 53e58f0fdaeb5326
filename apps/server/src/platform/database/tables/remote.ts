import type { Generated } from 'kysely'

/** A session of a remote tool. Open while `ended_at` is NULL. */
export interface RemoteSessionsTable {
  id: string
  agent_id: string
  tool: 'terminal' | 'desktop' | 'vnc'
  user_id: number
  username: string
  ip_address: string
  /** The sign-in session that it belongs to and ends with. */
  session_digest: string
  started_at: string
  ended_at: string | null
  /** The reason that the user gave. */
  purpose: Generated<string | null>
  exit_code: number | null
  reason: string | null
  /** The session that this one joined. */
  joined_session: Generated<string | null>
}

/** Changes on a machine while a remote session ran, as reported by its agent. */
export interface SessionChangesTable {
  session_id: string
  stored_at: string
  /** Number of changes. */
  changes: number
  /** JSON of the contract's SessionChangesView. */
  receipt: string
}

/** Remote access settings of a client, a site, a machine, or the default. The default has no id. */
export interface RemoteAccessTable {
  /** `client-3`, `site-2`, `agent-ABC`, `default-all`. */
  place: string
  client_id: number | null
  site_id: number | null
  agent_id: string | null
  /** JSON of the contract's RemoteSettings. */
  settings: string
}

/** A recording of one connection to a tool. A session has one per connection. The file has the same id. */
export interface RemoteRecordingsTable {
  id: string
  session_id: string
  started_at: string
  /** On disk. 0 while it is being recorded. */
  bytes: number
  /** NULL while it is being recorded, and after a crash of the server. */
  milliseconds: number | null
  /** Why it is incomplete. */
  problem: string | null
}

/** A shell of the server. Open while `ended_at` is NULL. Its recording has the same id. */
export interface WebTerminalsTable {
  id: string
  /** The host of the server process that ran it. */
  host: string
  /** If this process is no longer in the table of processes, it was killed with its shells. */
  process_id: string
  username: string
  ip_address: string
  started_at: string
  ended_at: string | null
  exit_code: number | null
  reason: string | null
  /** 0 = its recording was deleted by retention. */
  recorded: 0 | 1
  /** On disk. 0 while it is being recorded. */
  recording_bytes: number
  /** Why the recording is incomplete. */
  recording_problem: string | null
}
