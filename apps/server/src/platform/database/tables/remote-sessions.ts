import type { Generated } from 'kysely'

/** A session of a remote tool; open as long as `ended_at` is null. */
export interface RemoteSessionsTable {
  id: string
  agent_id: string
  tool: 'terminal' | 'desktop' | 'vnc'
  user_id: number
  username: string
  ip_address: string
  /** The sign-in that it hangs on: it ends with it. */
  session_digest: string
  started_at: string
  ended_at: string | null
  /** Why it was opened, as this person said. */
  purpose: Generated<string | null>
  exit_code: number | null
  reason: string | null
  /** The session of a colleague's terminal that this one is a visit to. */
  joined_session: Generated<string | null>
}
