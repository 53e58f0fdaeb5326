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
