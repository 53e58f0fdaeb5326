import type { AgentStatus } from '../agents/agent-status.ts'

/** Of a row of the machines table. */
export interface WatchedMachine {
  status: AgentStatus
  maintenance_mode: boolean
  overdue_dashboard_alert: boolean
  overdue_email_alert: boolean
  overdue_text_alert: boolean
  /** The alert template that counts; null = it leaves that to the machine. */
  alert_template: {
    always_alert: boolean | null
    always_email: boolean | null
    always_text: boolean | null
  } | null
}

/** Whether an alert opens when the machine is overdue, by its own settings or by its alert template. */
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

/** An overdue machine of which no alert tells. Maintenance is silent on purpose. */
export function isUnalerted(machine: WatchedMachine): boolean {
  return machine.status === 'overdue' && !machine.maintenance_mode && !hasAvailabilityAlert(machine)
}
