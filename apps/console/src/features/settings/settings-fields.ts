import type { CoreSettings } from '@muster/contract/api/settings'

/** The words of a field, for its form and for the search over all settings. */
export interface SettingField {
  label: string
  description?: string
}

type Fields = { [Name in keyof CoreSettings]?: SettingField }

export const GENERAL_FIELDS = {
  companyname: {
    label: 'Your company',
    description: 'Shown with your name at machines when you open remote tools',
  },
  password_min_length: {
    label: 'Minimum password length',
    description: 'For new passwords. Common and leaked passwords are always refused.',
  },
  block_local_user_logon: { label: 'Password sign-in for superusers only' },
} satisfies Fields

/** Absent on servers that a provider hosts for others. */
export const SERVER_FIELDS = {
  enable_server_scripts: {
    label: 'Scripts on the server',
    description: 'Scripts of alert templates and script tests, as the user of the server',
  },
  enable_server_webterminal: {
    label: 'Web terminal',
    description: 'A recorded shell on the server, for superusers',
  },
} satisfies Fields

export const MONITORING_FIELDS = {
  availability_alerts_servers: {
    label: 'Alert when a server is overdue',
    description: 'Policies and machines can override the default.',
  },
  availability_alerts_workstations: {
    label: 'Alert when a workstation is overdue',
    description: 'Policies and machines can override the default.',
  },
  metrics_interval: {
    label: 'Metrics interval',
    description: 'Processor, memory, disks and network. Every second while viewed live.',
  },
} satisfies Fields

/** Measurements of checks and machines. */
export const HISTORY_FIELDS = {
  check_history_prune_days: { label: 'Raw data', description: 'Every single measurement' },
  check_history_5min_prune_days: {
    label: '5-minute averages',
    description: 'Minimum, average and maximum per 5 minutes',
  },
  check_history_hourly_prune_days: {
    label: 'Hourly averages',
    description: 'Minimum, average and maximum per hour. Older data is deleted.',
  },
} satisfies Fields

export const RECORD_FIELDS = {
  agent_history_prune_days: { label: 'Command history', description: 'Ended runs and their output' },
  resolved_alerts_prune_days: { label: 'Resolved alerts', description: 'With log and notifications' },
  audit_log_prune_days: { label: 'Audit log', description: 'Actions of users' },
} satisfies Fields

export const RECORDING_FIELDS = {
  record_terminals: {
    label: 'Record terminals on',
    description: 'Servers are machines of the type “Server”.',
  },
  recording_keep_days: {
    label: 'Keep recordings for',
    description: 'Counted from the start of the session',
  },
  recording_max_mb: {
    label: 'Max. size per terminal',
    description: 'The recording stops there; the terminal continues.',
  },
  desktop_recording_max_mb: {
    label: 'Max. size per desktop',
    description: 'The desktop session continues.',
  },
} satisfies Fields

export const VNC_FIELDS = {
  vnc_targets: {
    label: 'Allowed targets',
    description: 'VNC servers that machines may connect to',
  },
} satisfies Fields
