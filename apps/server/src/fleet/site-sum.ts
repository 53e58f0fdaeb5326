import type { AgentRow } from '@muster/contract/api/agents'
import { hasAvailabilityAlert } from '@muster/rules/alerts/availability-alert'

/** How many machines of a site are so. Those in maintenance count as machines only. */
export interface SiteSum {
  machines: number
  maintenance: number
  /** A check fails so, or an overdue machine whose overdue alert is on. */
  errors: number
  warnings: number
}

export const emptySum = (): SiteSum => ({ machines: 0, maintenance: 0, errors: 0, warnings: 0 })

/** Puts a machine into the sum, or takes the same row out of it again. */
export function count(sum: SiteSum, row: AgentRow, by: 1 | -1): void {
  sum.machines += by
  if (row.maintenance_mode) {
    sum.maintenance += by
    return
  }
  if (row.checks.failing > 0 || isAlarminglySilent(row)) sum.errors += by
  if (row.checks.warning > 0) sum.warnings += by
}

function isAlarminglySilent(row: AgentRow): boolean {
  return row.status === 'overdue' && hasAvailabilityAlert(row)
}
