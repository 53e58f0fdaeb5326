/** A shell of the server itself that somebody opened; open as long as `ended_at` is null. Its recording has its name. */
export interface WebTerminalsTable {
  id: string
  /** The host of the server process that ran it. */
  host: string
  /** One that is not in the table of processes any more was killed with its shells. */
  process_id: string
  username: string
  ip_address: string
  started_at: string
  ended_at: string | null
  exit_code: number | null
  reason: string | null
  /** 0 = its recording was removed when its time was over. */
  recorded: 0 | 1
  /** On disk; 0 while it goes on. */
  recording_bytes: number
  /** Why the recording is not whole. */
  recording_problem: string | null
}
