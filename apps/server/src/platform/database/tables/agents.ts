import type { Generated } from 'kysely'

export interface AgentsTable {
  id: Generated<number>
  agent_id: string
  site_id: number
  /** base64url Ed25519; the private half never leaves the machine. */
  public_key: string
  /** The same again after a reinstall into the same folder of the same machine. */
  machine_key: string
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
  /** 0 = its agent is older than the rules for remote tools. */
  enforces_rules: Generated<0 | 1>
  maintenance_mode: Generated<0 | 1>
  /** The window that switched maintenance mode on; null = a person, or it is off. */
  maintenance_by: number | null
  /** When a person last switched it off: windows that had begun by then leave the machine alone. */
  maintenance_off_at: string | null
  /** These three are what counts now, from policies or of its own: see features/automation. */
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
  /** JSON, by setting: `own` = what a person gave to this machine, `given` = what it has now is of a policy. */
  setting_sources: Generated<string>
  alert_template_id: number | null
  /** JSON: the alert templates that its policies name, see features/alert-templates/given-templates.ts. */
  policy_templates: Generated<string>
  /** Its template asks to be told when it is overdue, whatever the flags above say. */
  overdue_by_template: Generated<0 | 1>
  /** Grows whenever what the machine is to measure may have changed. */
  checks_version: Generated<number>
  /** The version of its tasks that it should have, and the one that it has said to have. */
  tasks_version: Generated<number>
  tasks_known: Generated<number>
  created_at: string
  /** Changes with every edit by a person: two tabs saving at once are told. */
  modified: string
}

/** A row of its own: it is written with every report, and not with everything that changes about the machine. */
export interface AgentFactsTable {
  /** The `id` of the machine's row. No row before its first report. */
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
}

/** A server process; its links are taken for lost when it stops beating. */
export interface ProcessesTable {
  id: string
  started_at: string
  beat_at: string
}

export interface NotesTable {
  pk: Generated<number>
  agent_id: string
  username: string
  note: string
  entry_time: string
}

/** What a machine says otherwise than before. */
export interface MachineChangesTable {
  id: Generated<number>
  agent_id: string
  /** Unix seconds. */
  at: number
  text: string
}
