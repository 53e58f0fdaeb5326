import type { AgentRow } from '@muster/contract/api/agents'
import { agentStatus } from '@muster/rules/agent-status'

/** What the machines of a site add up to. */
export interface SiteSum {
  agent_count: number
  maintenance_mode: boolean
  /** A check fails so, or an overdue machine whose overdue alert is on; machines in maintenance do not count. */
  error: boolean
  warning: boolean
}

/** By site id; sites without a machine are missing. */
export function sumSites(machines: readonly AgentRow[], now: Date): Map<number, SiteSum> {
  const sums = new Map<number, SiteSum>()
  for (const machine of machines) {
    let sum = sums.get(machine.site_id)
    if (sum === undefined) {
      sum = { agent_count: 0, maintenance_mode: false, error: false, warning: false }
      sums.set(machine.site_id, sum)
    }
    sum.agent_count += 1
    if (machine.maintenance_mode) {
      sum.maintenance_mode = true
      continue
    }
    if (machine.checks.failing > 0 || isAlarminglySilent(machine, now)) sum.error = true
    if (machine.checks.warning > 0) sum.warning = true
  }
  return sums
}

function isAlarminglySilent(machine: AgentRow, now: Date): boolean {
  if (machine.connected) return false
  const { overdue_email_alert, overdue_text_alert, overdue_dashboard_alert } = machine
  if (!overdue_email_alert && !overdue_text_alert && !overdue_dashboard_alert) return false
  return agentStatus(machine, now.getTime()) === 'overdue'
}
