/** Remote access settings of a client, a site, a machine, or the default. The default has no id. */
export interface RemoteAccessTable {
  /** `client-3`, `site-2`, `agent-ABC`, `default-all`. */
  place: string
  client_id: number | null
  site_id: number | null
  agent_id: string | null
  /** JSON of the contract's RemoteSettings. */
  settings: string
}
