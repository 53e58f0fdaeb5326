import type { PackageChange } from '@muster/rules/agents/package-change'
import type { HistoryType } from '@muster/rules/agents/history-state'
import type { Generated } from 'kysely'

export type HistoryState =
  | 'queued'
  | 'sent'
  | 'accepted'
  | 'running'
  | 'done'
  | 'failed'
  | 'expired'
  | 'cancelled'

/** A command or script for one machine. The row is written before anything is sent. */
export interface AgentHistoryTable {
  id: Generated<number>
  agent_id: string
  time: string
  type: HistoryType
  state: HistoryState
  reason: string | null
  command: string
  script_id: number | null
  script_name: string | null
  shell: string
  /** JSON list. */
  args: Generated<string>
  username: string
  run_as_user: string | null
  timeout_seconds: number
  expires_at: string
  /** Command name and JSON of its input as the contract has it, without secrets. */
  command_name:
    | 'run-command'
    | 'run-script'
    | 'install-patches'
    | 'install-file'
    | 'push-file'
    | `${PackageChange}-package`
  command_input: string
  nonce: string
  cancel_requested: Generated<0 | 1>
  save_as_note: Generated<0 | 1>
  sent_at: string | null
  started_at: string | null
  finished_at: string | null
  retcode: number | null
  execution_time: number | null
  /** Number of the last output chunk, used to detect repeated ones. */
  last_chunk: Generated<number>
  output_bytes: Generated<number>
  output_cut_bytes: Generated<number>
  /** The job that it belongs to, and the number of its try on this machine. One run exists for both. */
  fleet_job_id: number | null
  fleet_job_try: number | null
}

export interface OutputDaysTable {
  agent_id: string
  /** YYYY-MM-DD, in UTC. */
  day: string
  bytes: number
}

export interface HistoryOutputTable {
  history_id: number
  /** Chunk number within the run, starting at 1. */
  chunk: number
  stream: 'stdout' | 'stderr'
  text: string
}

/** An action that a machine runs at a given time, by the server's clock. */
export interface PendingActionsTable {
  id: Generated<number>
  agent_id: string
  action_type: 'schedreboot' | 'schedshutdown' | 'schedsignout' | 'agentupdate'
  /** `cancelling`: its machine, which is offline, has it until it connects. */
  status: 'pending' | 'cancelling' | 'completed'
  due: string
  username: string
  entry_time: string
  /** Set while the request runs. If it is still set after a restart, the request was interrupted. */
  begun_at: string | null
  finished_at: string | null
  /** Its id on the machine; null for agent updates. */
  plan: string | null
  /** `PowerWarning` as JSON; null = the defaults. */
  warning: string | null
  /** Since then the machine has it and reports changes. */
  sent_at: string | null
  /** The result as a sentence. */
  output: string
}

/** Work that must survive a restart; see platform/jobs. */
export interface JobsTable {
  id: string
  name: string
  payload: string
  due_at: string
  claimed_by: string | null
  claimed_until: string | null
  attempts: number
  last_error: string | null
  done_at: string | null
}
