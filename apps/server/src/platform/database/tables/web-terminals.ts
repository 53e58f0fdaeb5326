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
