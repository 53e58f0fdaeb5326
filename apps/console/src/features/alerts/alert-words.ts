import type { Alert, AlertHold, AlertLogKind, AlertState, AlertType } from '@muster/contract/api/alerts'
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

/** Why nobody is told, as it stands beside the state, and as a sentence. */
export const HOLD_LABELS: Record<AlertHold, { label: string; sentence: string }> = {
  maintenance: { label: 'maintenance', sentence: 'Nobody is told: the machine is in maintenance mode.' },
  machine_down: { label: 'machine down', sentence: 'Nobody is told: the whole machine is down.' },
  site_down: { label: 'site down', sentence: 'Nobody is told: every machine of the site is down.' },
  dependency: { label: 'dependency', sentence: 'Nobody is told: what it depends on fails.' },
  flapping: { label: 'flapping', sentence: 'Nobody is told again: it came and went too often lately.' },
}

export const LOG_LABELS: Record<AlertLogKind, string> = {
  opened: 'Opened',
  severity_changed: 'Severity changed',
  held: 'Held back',
  released: 'No longer held back',
  acknowledged: 'Acknowledged',
  unacknowledged: 'Acknowledgement taken back',
  snoozed: 'Snoozed',
  unsnoozed: 'Snooze ended',
  noted: 'Note',
  flapping: 'Flapping',
  resolved: 'Resolved',
  notice_sent: 'Told',
  notice_held: 'Not told',
  notice_failed: 'Could not be told',
  action_started: 'Action begun',
  action_done: 'Action done',
  action_failed: 'Action failed',
  action_called_off: 'Action called off',
}

/** Where it is: `Acme › Berlin › alpha`; undefined for what belongs to nothing that Muster knows. */
export function placeOf({ client, site, hostname }: Pick<Alert, 'client' | 'site' | 'hostname'>) {
  const parts = [client, site, hostname].filter((part) => part !== '')
  return parts.length === 0 ? undefined : parts.join(' › ')
}

/** What one calls an alert in a sentence: its message, cut to what fits. */
export function alertName({ message }: Pick<Alert, 'message'>): string {
  const [line = ''] = message.split('\n')
  return line.length > NAME_LENGTH ? `${line.slice(0, NAME_LENGTH)} …` : line
}

const NAME_LENGTH = 60

/** `1 alert`, `3 alerts`. */
export const countAlerts = (count: number): string => `${count} ${count === 1 ? 'alert' : 'alerts'}`
