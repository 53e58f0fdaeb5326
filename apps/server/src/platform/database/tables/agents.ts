import type { Generated } from 'kysely'

export interface AgentsTable {
  id: Generated<number>
  agent_id: string
  site_id: number
  /** base64url Ed25519. The private key never leaves the machine. */
  public_key: string
  /** Unchanged after a reinstall into the same folder of the same machine. That of a clone ends with its agent_id. */
  machine_key: string
  /** The key that a clone sends: `machine_key` of the machine that had it first. NULL = it sends its `machine_key`. */
  cloned_key: string | null
  /** JSON of the contract's Hardware, as the machine last showed it. NULL = its agent is too old. */
  hardware: string | null
  /** When another machine was last accepted as this one. */
  hardware_changed_at: string | null
  /** 1 = its agent was started by a server, and runs as the server's user: see refuse-server-machine.ts. */
  server_machine: Generated<0 | 1>
  monitoring_type: 'server' | 'workstation'
  hostname: string
  plat: 'windows' | 'linux' | 'darwin'
  arch: string
  description: Generated<string>
  version: Generated<string>
  public_ip: Generated<string>
  last_seen: string | null
  connected: Generated<0 | 1>
  /** Id of the server process that holds the link. */
  link_process: string | null
  link_lost_at: string | null
  clock_skew_seconds: number | null
  /** 0 = the agent is too old to enforce the remote access rules. */
  enforces_rules: Generated<0 | 1>
  /** 0 = the agent is too old to update itself, or no installer has laid it out. */
  can_update: Generated<0 | 1>
  /** 0 = the agent is too old to run scripts of checks and tasks as the signed-in user; NULL = it is not known yet. */
  runs_as_user: 0 | 1 | null
  /** 0 = the agent is too old to write files of jobs; NULL = it is not known yet. */
  pushes_files: 0 | 1 | null
  maintenance_mode: Generated<0 | 1>
  /** The window that switched maintenance mode on. NULL = a user, or it is off. */
  maintenance_by: number | null
  /** When a user last switched it off. Windows that started before leave the machine alone. */
  maintenance_off_at: string | null
  /** The effective values of the next three columns come from policies or the machine: see features/policies. */
  check_interval: Generated<number>
  offline_time: Generated<number>
  overdue_time: Generated<number>
  overdue_email_alert: Generated<0 | 1>
  overdue_text_alert: Generated<0 | 1>
  overdue_dashboard_alert: Generated<0 | 1>
  time_zone: string | null
  default_shell: Generated<'use_global' | 'cmd' | 'powershell' | 'bash' | 'custom'>
  default_shell_custom: Generated<string>
  block_policy_inheritance: Generated<0 | 1>
  /** JSON, by setting: `own` = set by a user on this machine, `given` = currently from a policy. */
  setting_sources: Generated<string>
  alert_template_id: number | null
  /** JSON: the alert templates of its policies. */
  policy_templates: Generated<string>
  /** Its template asks for the overdue alert, regardless of the flags above. */
  overdue_by_template: Generated<0 | 1>
  /** Grows whenever the check definitions of the machine may have changed. */
  checks_version: Generated<number>
  /** The version of its tasks that it should have, and the version that it last reported. */
  tasks_version: Generated<number>
  tasks_known: Generated<number>
  created_at: string
  /** Changes with every edit by a user, so that concurrent saves are detected. */
  modified: string
}

/** Separate from `agents`, because it is written with every report. */
export interface AgentFactsTable {
  /** `id` of the agent. There is no row before its first report. */
  agent: number
  /** JSON of the contract's AgentFacts. */
  facts: string
}

export interface EnrolTokensTable {
  id: Generated<number>
  /** hex sha256 of the token. */
  digest: string
  site_id: number
  monitoring_type: 'server' | 'workstation'
  plat: 'windows' | 'linux' | 'darwin' | null
  uses_left: number
  expires_at: string
  created_by: string
  created_at: string
  /** JSON of the contract's InstallFlags. Empty = none is on. */
  flags: Generated<string>
  /** 1 = for the agent on a server's own machine, which alone gets the token. */
  server_machine: Generated<0 | 1>
}

/** A deployment. Site, type, platform, flags and expiry are those of its token. */
export interface DeploymentsTable {
  id: Generated<number>
  token_id: number
  /** hex sha256 of the uid, which is the secret of the address. */
  uid_digest: string
  /** Uid and token, encrypted. */
  uid: string
  token: string
  goarch: 'amd64' | 'arm64'
  created_at: string
}

/** A server process. Its links count as lost when its heartbeat stops. */
export interface ProcessesTable {
  id: string
  started_at: string
  beat_at: string
}

/** The last update of a machine's agent. */
export interface AgentUpdatesTable {
  agent_id: string
  version: string
  state: 'waiting' | 'offered' | 'downloading' | 'installed' | 'confirmed' | 'failed' | 'rolled_back'
  reason: string | null
  /** The user who ordered it. NULL = it came with a wave. */
  username: string | null
  changed_at: string
}

/** The update of all machines to one version. */
export interface UpdateRolloutsTable {
  version: string
  state: 'running' | 'halted' | 'done'
  /** From 0. */
  wave: number
  reason: string | null
  /** Rollbacks before a user has resumed it, which no longer count. */
  forgiven: number
  changed_at: string
}

/** How agents are updated: of a client, a site or a machine, or of all when the three ids are NULL. */
export interface UpdateSettingsTable {
  place: string
  client_id: number | null
  site_id: number | null
  agent_id: string | null
  /** JSON of the contract's UpdateSettings. */
  settings: string
}

export interface NotesTable {
  pk: Generated<number>
  agent_id: string
  username: string
  note: string
  entry_time: string
}

/** Changed facts of a machine. */
export interface MachineChangesTable {
  id: Generated<number>
  agent_id: string
  /** Unix seconds. */
  at: number
  text: string
}

export interface MaintenanceWindowsTable {
  id: Generated<number>
  reason: string
  /** JSON of the contract's MaintenanceSchedule. */
  schedule: string
  /** Occurrences that started before are over, whatever the schedule says. */
  ended_at: string | null
  created_by: string
  created_at: string
  modified: string
}

/** Exactly one of the three ids is set. */
export interface MaintenanceTargetsTable {
  id: Generated<number>
  window_id: number
  client_id: number | null
  site_id: number | null
  agent_id: string | null
}

/** When a machine was in maintenance mode, by a window or a user. At most one period is open. */
export interface MaintenancePeriodsTable {
  id: Generated<number>
  agent_id: string
  /** Unix seconds. */
  started_at: number
  ended_at: number | null
  reason: string
}
