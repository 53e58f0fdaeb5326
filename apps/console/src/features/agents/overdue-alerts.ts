import type { AgentRow } from '@muster/contract/api/agents'

/** How people may be told that a machine is overdue: its own field, and the one by which its alert template decides. */
export const OVERDUE_ALERTS = [
  { field: 'overdue_dashboard_alert', fixedBy: 'always_alert', label: 'Alert in the console' },
  { field: 'overdue_email_alert', fixedBy: 'always_email', label: 'E-mail' },
  { field: 'overdue_text_alert', fixedBy: 'always_text', label: 'Text message' },
] as const

export type OverdueAlert = (typeof OVERDUE_ALERTS)[number]

/** Whether it is told so, whoever has decided it. */
export function isTold({ field, fixedBy }: OverdueAlert, row: AgentRow): boolean {
  return row.alert_template?.[fixedBy] ?? row[field]
}
