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
