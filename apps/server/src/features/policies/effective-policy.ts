import type { EffectiveItem, EffectivePolicy, PolicySource } from '@muster/contract/policies/effective-policy'
import type { ItemSource } from '@muster/rules/policies/policy-merge'
import type { Db } from '../../platform/database/database.ts'
import { KINDS } from './kinds/table.ts'
import { findMachines } from './machines.ts'
import { loadPolicySet, type PolicySet } from './policy-set.ts'

/** What a machine has, from where, and what stood behind. Call it for machines that the caller sees. */
export async function readEffectivePolicy(db: Db, agentId: string): Promise<EffectivePolicy> {
  const set = await loadPolicySet(db)
  const [machine] = await findMachines(db, { agentIds: [agentId], withText: set.hasSearches })
  if (machine === undefined) throw new Error(`Machine ${agentId} went away while its policies were read`)
  const chain = set.chainOf(machine)
  const items: EffectiveItem[] = []
  const unfit: EffectivePolicy['unfit'] = []
  for (const kind of KINDS) {
    for (const resolved of await kind.resolve(db, set, [{ machine, chain }])) {
      const rowIds = await kind.findRowIds?.(db, resolved)
      for (const { key, value, source, overrode } of resolved.effective) {
        items.push({
          kind: kind.name,
          key,
          what: value.what,
          ...idsOf(kind.name, source.own ? value.row_id : (rowIds?.get(key) ?? null)),
          source: viewSource(set, source),
          overrode: overrode.map((loser) => ({
            what: loser.value.what,
            ...idsOf(kind.name, loser.value.row_id),
            source: viewSource(set, loser.source),
            lost: loser.lost,
          })),
        })
      }
      for (const { what, policy, why } of resolved.unfit) {
        const level = chain.find((link) => link.policy === policy && link.outcome === 'applies')?.assignment
          .level
        if (level === undefined) continue
        unfit.push({ kind: kind.name, what, source: viewSource(set, { own: false, policy, level }), why })
      }
    }
  }
  return {
    agent_id: machine.agent_id,
    hostname: machine.hostname,
    client_name: machine.client_name,
    site_name: machine.site_name,
    monitoring_type: machine.monitoring_type,
    blocks: machine.blocks,
    chain: chain.map(({ policy, assignment, outcome }) => ({
      policy,
      policy_name: nameOf(set, policy),
      enforced: set.policies.get(policy)?.document.enforced ?? false,
      level: assignment.level,
      search: assignment.level === 'search' ? assignment.search : null,
      monitoring_type: 'monitoring_type' in assignment ? assignment.monitoring_type : null,
      outcome,
    })),
    items,
    unfit,
  }
}

function idsOf(kind: EffectiveItem['kind'], rowId: number | null) {
  return { check_id: kind === 'checks' ? rowId : null, task_id: kind === 'tasks' ? rowId : null }
}

function viewSource(set: PolicySet, source: ItemSource): PolicySource {
  if (source.own) return source
  const { policy, level } = source
  return { own: false, policy, policy_name: nameOf(set, policy), level }
}

function nameOf(set: PolicySet, policyId: number): string {
  return set.policies.get(policyId)?.document.name ?? ''
}
