import type { AgentStatus } from '../agents/agent-status.ts'

/** Fields of a row of the machines table. */
export interface WatchedMachine {
  status: AgentStatus
  maintenance_mode: boolean
  overdue_dashboard_alert: boolean
  overdue_email_alert: boolean
  overdue_text_alert: boolean
  /** The effective alert template; null = the machine decides. */
  alert_template: {
    always_alert: boolean | null
    always_email: boolean | null
    always_text: boolean | null
  } | null
}

/** Whether an overdue machine raises an alert, by its own settings or its alert template. */
export function hasAvailabilityAlert(machine: Omit<WatchedMachine, 'status' | 'maintenance_mode'>): boolean {
  const { alert_template: template } = machine
  return (
    machine.overdue_dashboard_alert ||
    machine.overdue_email_alert ||
    machine.overdue_text_alert ||
    template?.always_alert === true ||
    template?.always_email === true ||
    template?.always_text === true
  )
}

/** An overdue machine without an alert. Machines in maintenance are excluded. */
export function isUnalerted(machine: WatchedMachine): boolean {
  return machine.status === 'overdue' && !machine.maintenance_mode && !hasAvailabilityAlert(machine)
}
