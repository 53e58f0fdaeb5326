import type { PolicyTarget } from '@muster/contract/api/policies'
import type { Db } from '../../platform/database/database.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { findMachines, inBatches } from './machines.ts'
import type { LoadedPolicy, PolicySet } from './policy-set.ts'

/** The visible policies of a caller. */
export interface PolicyVisibility {
  /** A part is visible: the caller is its author, it is assigned within the scope, or applies to a visible machine. */
  sees(policy: LoadedPolicy): boolean
  /** All of its targets and machines are visible. */
  seesWhole(policy: LoadedPolicy): boolean
  seesTarget(target: PolicyTarget): boolean
  seesClient(id: number): boolean
  seesSite(id: number): boolean
  seesAgent(id: string): boolean
  /** Number of visible machines that a policy applies to. */
  countReached(policyId: number): number
}

/** `counting`: callers with access to every client need the machines only for their number. */
export async function createPolicyVisibility(
  db: Db,
  caller: Caller,
  set: PolicySet,
  { counting = false } = {},
): Promise<PolicyVisibility> {
  const { scope } = caller
  const sites = await db.selectFrom('sites').select(['id', 'client_id']).where(visibleTo(caller)).execute()
  const siteIds = new Set(sites.map(({ id }) => id))
  const clientIds = new Set(sites.map(({ client_id }) => client_id))
  const isNeeded = counting || !scope.all
  const all = isNeeded ? await findMachines(db, { withText: set.hasSearches }) : []
  const machines = all.filter(({ site_id }) => siteIds.has(site_id))
  const agentIds = new Set(machines.map(({ agent_id }) => agent_id))
  const reached = new Map<number, number>()
  const named = new Set<number>()
  for await (const slice of inBatches(machines)) {
    for (const machine of slice) {
      for (const { policy, outcome } of set.chainOf(machine)) {
        named.add(policy)
        if (outcome === 'applies') reached.set(policy, (reached.get(policy) ?? 0) + 1)
      }
    }
  }
  const seesWholeClient = (id: number) => scope.all || scope.clientIds.includes(id)
  const visibleScope: PolicyVisibility = {
    sees: (policy) =>
      scope.all ||
      policy.row?.created_by === caller.username ||
      named.has(policy.id) ||
      policy.document.targets.some((target) => hasId(target) && visibleScope.seesTarget(target)),
    seesWhole: ({ document, row }) =>
      scope.all ||
      ((document.targets.length > 0 || row?.created_by === caller.username) &&
        document.targets.every(
          (target) =>
            hasId(target) &&
            (target.level === 'client' ? seesWholeClient(target.id) : visibleScope.seesTarget(target)),
        ) &&
        document.excluded_clients.every(seesWholeClient) &&
        document.excluded_sites.every((id) => siteIds.has(id)) &&
        document.excluded_agents.every((id) => agentIds.has(id))),
    seesTarget: (target) => {
      switch (target.level) {
        case 'client':
          return scope.all || clientIds.has(target.id)
        case 'site':
          return siteIds.has(target.id)
        case 'agent':
          return scope.all || agentIds.has(target.id)
        default:
          return true
      }
    },
    seesClient: (id) => scope.all || clientIds.has(id),
    seesSite: (id) => siteIds.has(id),
    seesAgent: (id) => scope.all || agentIds.has(id),
    countReached: (policyId) => reached.get(policyId) ?? 0,
  }
  return visibleScope
}

function hasId(target: PolicyTarget): target is Extract<PolicyTarget, { id: unknown }> {
  return 'id' in target
}
