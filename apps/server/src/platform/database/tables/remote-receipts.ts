/** Changes on a machine while a remote session ran, as reported by its agent. */
export interface RemoteReceiptsTable {
  session_id: string
  stored_at: string
  /** Number of changes. */
  changes: number
  /** JSON of the contract's SessionChangesView. */
  receipt: string
}
