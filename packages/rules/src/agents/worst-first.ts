import type { AgentStatus } from './agent-status.ts'

export type RankedMachine = {
  status: AgentStatus
  maintenance_mode: boolean
  checks: { failing: number; warning: number }
}

/**
 * Default order of machines: 0 = overdue, 1 = failing checks, 2 = warnings, 3 = offline, 4 = the rest. Machines in
 * maintenance raise no alerts and belong to the rest.
 */
export function worstRank({ status, maintenance_mode, checks }: RankedMachine): number {
  if (maintenance_mode) return 4
  if (status === 'overdue') return 0
  if (checks.failing > 0) return 1
  if (checks.warning > 0) return 2
  return status === 'offline' ? 3 : 4
}
