import type {
  Alert,
  AlertHold,
  AlertLogKind,
  AlertPart,
  AlertState,
  AlertType,
} from '@muster/contract/api/alerts'
import type { Severity } from '@muster/contract/fields'

export const SEVERITY_LABELS: Record<Severity, string> = {
  error: 'Error',
  warning: 'Warning',
  info: 'Info',
}
/** The worst first, as everywhere. */
export const SEVERITIES = ['error', 'warning', 'info'] as const satisfies readonly Severity[]

export const TYPE_LABELS: Record<AlertType, string> = {
  availability: 'Availability',
  check: 'Check',
  task: 'Task',
  custom: 'Custom',
}

export const STATE_LABELS: Record<AlertState, string> = {
  open: 'open',
  acknowledged: 'acknowledged',
  snoozed: 'snoozed',
  resolved: 'resolved',
}

export const PART_LABELS: Record<AlertPart, string> = {
  open: 'Open',
  acknowledged: 'Acknowledged',
  snoozed: 'Snoozed',
  suppressed: 'Suppressed',
  resolved: 'Resolved',
  all: 'All',
}

/** Why an alert is suppressed: beside the state, and as a sentence. */
export const HOLD_LABELS: Record<AlertHold, { label: string; sentence: string }> = {
  maintenance: { label: 'maintenance', sentence: 'No notifications: the machine is in maintenance mode.' },
  machine_down: { label: 'machine down', sentence: 'No notifications: the whole machine is down.' },
  site_down: { label: 'site down', sentence: 'No notifications: every machine of the site is down.' },
  dependency: { label: 'dependency', sentence: 'No notifications: a check it depends on is failing.' },
  flapping: { label: 'flapping', sentence: 'No more notifications: the alert opens and closes too often.' },
}

export const LOG_LABELS: Record<AlertLogKind, string> = {
  opened: 'Opened',
  severity_changed: 'Severity changed',
  held: 'Suppressed',
  released: 'No longer suppressed',
  acknowledged: 'Acknowledged',
  unacknowledged: 'Acknowledgement removed',
  snoozed: 'Snoozed',
  unsnoozed: 'Snooze ended',
  noted: 'Note',
  flapping: 'Flapping',
  resolved: 'Resolved',
  notice_sent: 'Notified',
  notice_held: 'Not notified',
  notice_failed: 'Notification failed',
  escalated: 'Escalated',
  action_started: 'Action started',
  action_done: 'Action completed',
  action_failed: 'Action failed',
  action_called_off: 'Action cancelled',
}

/** The location: `Acme › Berlin › alpha`; undefined for alerts without a machine, site or client. */
export function locationOf({ client, site, hostname }: Pick<Alert, 'client' | 'site' | 'hostname'>) {
  const parts = [client, site, hostname].filter((part) => part !== '')
  return parts.length === 0 ? undefined : parts.join(' › ')
}

/** An alert's name in a sentence: its message, cut to fit. */
export function alertName({ message }: Pick<Alert, 'message'>): string {
  const [line = ''] = message.split('\n')
  return line.length > NAME_LENGTH ? `${line.slice(0, NAME_LENGTH)} …` : line
}

const NAME_LENGTH = 60

/** `1 alert`, `3 alerts`. */
export const countAlerts = (count: number): string => `${count} ${count === 1 ? 'alert' : 'alerts'}`
