import type { JournalPriority } from '@muster/contract/agent/logs'

/** Minimum priorities: each includes the more serious ones. */
export const PRIORITY_CHOICES: { value: JournalPriority; label: string }[] = [
  { value: 'debug', label: 'All' },
  { value: 'info', label: 'Information and above' },
  { value: 'notice', label: 'Notice and above' },
  { value: 'warning', label: 'Warning and above' },
  { value: 'err', label: 'Error and above' },
  { value: 'crit', label: 'Critical and above' },
]

const PRIORITY_LABELS: Record<JournalPriority, string> = {
  emerg: 'Emergency',
  alert: 'Alert',
  crit: 'Critical',
  err: 'Error',
  warning: 'Warning',
  notice: 'Notice',
  info: 'Information',
  debug: 'Debug',
}

export const priorityLabel = (priority: JournalPriority): string => PRIORITY_LABELS[priority]

/** Logs that every Windows has; others can be typed. */
export const EVENT_LOGS = [
  'Application',
  'System',
  'Security',
  'Setup',
  'Windows PowerShell',
  'Microsoft-Windows-PowerShell/Operational',
  'Microsoft-Windows-TaskScheduler/Operational',
  'Microsoft-Windows-TerminalServices-LocalSessionManager/Operational',
  'Microsoft-Windows-Windows Defender/Operational',
  'Microsoft-Windows-WindowsUpdateClient/Operational',
]

export const TIME_CHOICES = [
  { value: '3600', label: 'Last hour' },
  { value: '86400', label: 'Last 24 hours' },
  { value: '604800', label: 'Last 7 days' },
  { value: '2592000', label: 'Last 30 days' },
  { value: '0', label: 'Any time' },
] as const
