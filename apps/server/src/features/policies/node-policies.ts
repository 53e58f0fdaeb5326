import type { AgentDetail } from '@muster/contract/api/agents'
import type { Db } from '../../platform/database/database.ts'
import type { NodePolicies, PolicySlots } from '../clients/view.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import type { NamingPolicy } from '../alerts/templates/view.ts'
import { findMachines } from './machines.ts'
import { loadPolicySet } from './policy-set.ts'
import { createPolicyVisibility } from './policy-visibility.ts'

/** The first policy of each client and site, for servers and for workstations. */
export async function findNodePolicies(db: Db): Promise<NodePolicies> {
  const rows = await db
    .selectFrom('policy_targets')
    .select(['client_id', 'site_id', 'policy_id', 'monitoring_type'])
    .where('level', 'in', ['client', 'site'])
    .orderBy('position')
    .orderBy('policy_id')
    .execute()
  const byClient = Map.groupBy(rows, ({ client_id }) => client_id)
  const bySite = Map.groupBy(rows, ({ site_id }) => site_id)
  return {
    ofClient: (id) => slotsOf(byClient.get(id) ?? []),
    ofSite: (id) => slotsOf(bySite.get(id) ?? []),
  }
}

/** The first policy of all machines, for servers and for workstations. */
export async function findDefaultPolicies(db: Db): Promise<PolicySlots> {
  const rows = await db
    .selectFrom('policy_targets')
    .select(['policy_id', 'monitoring_type'])
    .where('level', '=', 'default')
    .orderBy('position')
    .orderBy('policy_id')
    .execute()
  return slotsOf(rows)
}

function slotsOf(
  rows: readonly { policy_id: number; monitoring_type: 'server' | 'workstation' | null }[],
): PolicySlots {
  const first = (slot: 'server' | 'workstation') =>
    rows.find(({ monitoring_type }) => (monitoring_type ?? slot) === slot)?.policy_id ?? null
  return { server_policy: first('server'), workstation_policy: first('workstation') }
}

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

/** Visible policies that assign an alert template. */
export async function findNamingPolicies(db: Db, caller: Caller): Promise<NamingPolicy[]> {
  if (!mayDo(caller, 'can_list_automation_policies')) return []
  const set = await loadPolicySet(db)
  const naming = [...set.policies.values()].filter(({ document }) => document.content.alert_template !== null)
  if (naming.length === 0) return []
  const visibleScope = await createPolicyVisibility(db, caller, set)
  return naming
    .filter((policy) => visibleScope.sees(policy))
    .map(({ id, document: { name, content } }) => ({ id, name, alert_template_id: content.alert_template }))
}
