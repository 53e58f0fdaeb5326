import type { Selectable } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import type { ChecksTable } from '../../../platform/database/tables/checks.ts'
import { chunk } from '../queries.ts'
import type { PolicyCheck } from '@muster/contract/policies/policy-content'
import type { Resolved } from './kind.ts'

/** The rows of a machine from policies, and its overridden own checks. */
export interface HeldChecks {
  ofPolicies: HeldRow[]
  /** Own check -> the policy that overrides it. */
  resting: Map<number, number>
}
export type HeldRow = Pick<
  Selectable<ChecksTable>,
  'id' | 'agent_id' | 'check_type' | 'settings' | 'fails_b4_alert' | 'run_interval' | 'depends_on'
> & { policy_id: number; policy_check: number }

export async function findHeldChecks(db: Db, agentIds: readonly string[]): Promise<Map<string, HeldChecks>> {
  const held = new Map<string, HeldChecks>()
  const of = (agentId: string) => {
    const known: HeldChecks = held.get(agentId) ?? { ofPolicies: [], resting: new Map() }
    held.set(agentId, known)
    return known
  }
  for (const slice of chunk(agentIds)) {
    const rows = await db
      .selectFrom('checks')
      .select(['id', 'agent_id', 'check_type', 'settings', 'fails_b4_alert', 'run_interval'])
      .select(['policy_id', 'policy_check', 'overridden_by', 'depends_on'])
      .where('agent_id', 'in', slice)
      .where((eb) => eb.or([eb('policy_id', 'is not', null), eb('overridden_by', 'is not', null)]))
      .execute()
    for (const { policy_id, policy_check, overridden_by, ...row } of rows) {
      if (policy_id !== null && policy_check !== null) {
        of(row.agent_id).ofPolicies.push({ ...row, policy_id, policy_check })
      } else if (overridden_by !== null) of(row.agent_id).resting.set(row.id, overridden_by)
    }
  }
  return held
}

export interface WantedCheck {
  policyId: number
  check: PolicyCheck
}

/** The policy checks that a machine should have, by policy and number, and the own checks that should be overridden. */
export function wantedOf({ effective }: Resolved<PolicyCheck | undefined>): {
  checks: Map<string, WantedCheck>
  resting: Map<number, number>
} {
  const checks = new Map<string, WantedCheck>()
  const resting = new Map<number, number>()
  for (const { value, source, overrode } of effective) {
    if (source.own || value.ref === undefined) continue
    const { policy: policyId } = source
    checks.set(`${policyId} ${value.ref.id}`, { policyId, check: value.ref })
    for (const loser of overrode) {
      if (loser.source.own && loser.value.row_id !== null) resting.set(loser.value.row_id, policyId)
    }
  }
  return { checks, resting }
}

export function isInLine(
  resolved: Resolved<PolicyCheck | undefined>,
  held: HeldChecks = { ofPolicies: [], resting: new Map() },
): boolean {
  const { checks, resting } = wantedOf(resolved)
  if (checks.size !== held.ofPolicies.length || resting.size !== held.resting.size) return false
  for (const [id, policyId] of resting) if (held.resting.get(id) !== policyId) return false
  const dependencyOf = dependenciesOf(held.ofPolicies)
  return held.ofPolicies.every((row) => {
    const wanted = checks.get(`${row.policy_id} ${row.policy_check}`)
    return (
      wanted !== undefined && isSame(row, wanted.check) && row.depends_on === dependencyOf(row, wanted.check)
    )
  })
}

/**
 * The dependency of each row of a machine: its own row of the other check of that policy. None if that check is for
 * another platform, or overridden by another policy.
 */
export function dependenciesOf(
  rows: readonly HeldRow[],
): (row: HeldRow, check: PolicyCheck) => number | null {
  const ids = new Map(rows.map((row) => [`${row.policy_id} ${row.policy_check}`, row.id]))
  return ({ policy_id }, { depends_on }) =>
    depends_on === undefined ? null : (ids.get(`${policy_id} ${depends_on}`) ?? null)
}

export function isSame(row: HeldRow, { settings, fails_b4_alert, run_interval }: PolicyCheck): boolean {
  const { check_type, ...own } = settings
  return (
    row.check_type === check_type &&
    row.fails_b4_alert === fails_b4_alert &&
    row.run_interval === run_interval &&
    row.settings === JSON.stringify(own)
  )
}
