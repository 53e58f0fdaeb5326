import type { AgentRow } from '@muster/contract/api/agents'

/** Notifications of an overdue machine: its own field, and the field by which its alert template decides. */
export const OVERDUE_ALERTS = [
  { field: 'overdue_dashboard_alert', fixedBy: 'always_alert', label: 'Alert in the console' },
  { field: 'overdue_email_alert', fixedBy: 'always_email', label: 'E-mail' },
  { field: 'overdue_text_alert', fixedBy: 'always_text', label: 'Text message' },
] as const

export type OverdueAlert = (typeof OVERDUE_ALERTS)[number]

/** Whether the notification is on, by the machine or by its template. */
export function isNotified({ field, fixedBy }: OverdueAlert, row: AgentRow): boolean {
  return row.alert_template?.[fixedBy] ?? row[field]
}
