import type { AgentDetail } from '@muster/contract/api/agents'
import type { Db } from '../../platform/database/database.ts'
import { findMachines } from './machines.ts'
import { loadPolicySet } from './policy-set.ts'

/** The policies that apply to a machine, nearest first. */
export async function findAppliedPolicies(db: Db, agentId: string): Promise<AgentDetail['applied_policies']> {
  const set = await loadPolicySet(db)
  if (set.policies.size === 0) return []
  const [machine] = await findMachines(db, { agentIds: [agentId], withText: set.hasSearches })
  if (machine === undefined) return []
  return set.chainOf(machine).flatMap(({ policy, assignment, outcome }) => {
    const document = set.policies.get(policy)?.document
    if (outcome !== 'applies' || document === undefined) return []
    const { name, enforced } = document
    return [{ id: policy, name, level: assignment.level, enforced }]
  })
}
