import type { Generated } from 'kysely'

/** What a machine is to do at a time, by the server's clock. */
export interface PendingActionsTable {
  id: Generated<number>
  agent_id: string
  action_type: 'schedreboot'
  status: 'pending' | 'completed'
  due: string
  username: string
  entry_time: string
  /** The machine is being asked: who finds this was interrupted. */
  begun_at: string | null
  finished_at: string | null
  /** How it ended, as a sentence. */
  output: string
}
