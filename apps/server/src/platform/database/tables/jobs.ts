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
