import type { Generated } from 'kysely'

/** An action that a machine runs at a given time, by the server's clock. */
export interface PendingActionsTable {
  id: Generated<number>
  agent_id: string
  action_type: 'schedreboot'
  status: 'pending' | 'completed'
  due: string
  username: string
  entry_time: string
  /** Set while the request runs. If it is still set after a restart, the request was interrupted. */
  begun_at: string | null
  finished_at: string | null
  /** The result as a sentence. */
  output: string
}
