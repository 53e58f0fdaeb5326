/** What changed on a machine while a session of a remote tool ran, as the machine has said. */
export interface RemoteReceiptsTable {
  session_id: string
  stored_at: string
  /** How many. */
  changes: number
  /** JSON of the contract's SessionReceipt. */
  receipt: string
}
