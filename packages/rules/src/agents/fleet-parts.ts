import { type RankedMachine, worstRank } from './worst-first.ts'

/** The parts of the fleet bar, worst first. Each machine belongs to exactly one. */
export const FLEET_PARTS = [
  'overdue',
  'failing',
  'warning',
  'offline',
  'maintenance',
  'unchecked',
  'healthy',
] as const
export type FleetPart = (typeof FLEET_PARTS)[number]

export type FleetCounts = Record<FleetPart, number>

export const noMachines = (): FleetCounts => ({
  overdue: 0,
  failing: 0,
  warning: 0,
  offline: 0,
  maintenance: 0,
  unchecked: 0,
  healthy: 0,
})

/** The part of a machine, by the default order of machines. Without checks nobody knows whether it is healthy. */
export function fleetPart(machine: RankedMachine & { checks: { total: number } }): FleetPart {
  if (machine.maintenance_mode) return 'maintenance'
  return BY_RANK[worstRank(machine)] ?? (machine.checks.total === 0 ? 'unchecked' : 'healthy')
}

const BY_RANK: readonly FleetPart[] = ['overdue', 'failing', 'warning', 'offline']

/** The search that finds exactly the machines of a part. */
export const PART_SEARCHES: Record<FleetPart, string> = {
  overdue: 'is:overdue not:maintenance',
  failing: 'checks_failing>0 not:overdue not:maintenance',
  warning: 'checks_warning>0 checks_failing:0 not:overdue not:maintenance',
  offline: 'is:offline checks_failing:0 checks_warning:0 not:maintenance',
  maintenance: 'is:maintenance',
  unchecked: 'is:online checks:0 not:maintenance',
  healthy: 'is:online checks>0 checks_failing:0 checks_warning:0 not:maintenance',
}

/** Order of clients: the most overdue machines first, then failing, then warnings. */
export function compareWorst(a: FleetCounts, b: FleetCounts): number {
  return b.overdue - a.overdue || b.failing - a.failing || b.warning - a.warning || b.offline - a.offline
}
