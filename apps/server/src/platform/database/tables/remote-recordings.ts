/** What one window on a tool showed; a session has one for each time that it was opened. The file has its name. */
export interface RemoteRecordingsTable {
  id: string
  session_id: string
  started_at: string
  /** On disk; 0 while it goes on. */
  bytes: number
  /** Null while it goes on, and after a server that was killed. */
  milliseconds: number | null
  /** Why it is not whole. */
  problem: string | null
}
