import { compileTextMatch } from '@muster/rules/search/machine-search'
import type { FieldTerm } from '@muster/rules/search/search-tree'
import type { Db } from '../../platform/database/database.ts'
import type { ValueSource } from '../agents/values/read-values.ts'
import { findAllIds, findMachines, inBatches } from './machines.ts'
import { loadPolicySet } from './policy-set.ts'

/** The machines that a policy of a search applies to: `policy:backup`. */
export async function findMachinesByPolicy(db: Db, { matches }: FieldTerm): Promise<Set<string>> {
  const tests = matches.map(compileTextMatch)
  const set = await loadPolicySet(db)
  const wanted = new Set<number>()
  for (const { id, document } of set.policies.values()) {
    if (tests.some((test) => test(document.name))) wanted.add(id)
  }
  const found = new Set<string>()
  if (wanted.size === 0) return found
  for await (const agentIds of inBatches(await findAllIds(db))) {
    for (const machine of await findMachines(db, { agentIds, withText: set.hasSearches })) {
      const applies = set
        .chainOf(machine)
        .some(({ policy, outcome }) => outcome === 'applies' && wanted.has(policy))
      if (applies) found.add(machine.agent_id)
    }
  }
  return found
}

/** The names of the policies that apply to each machine, the nearest first. */
export const POLICY_VALUES: ValueSource = {
  permission: 'can_list_automation_policies',
  names: ['policies'],
  async read({ db }) {
    const set = await loadPolicySet(db)
    const policies = new Map<string, string>()
    for await (const agentIds of inBatches(await findAllIds(db))) {
      for (const machine of await findMachines(db, { agentIds, withText: set.hasSearches })) {
        const names = set
          .chainOf(machine)
          .flatMap(({ policy, outcome }) =>
            outcome === 'applies' ? (set.policies.get(policy)?.document.name ?? []) : [],
          )
        if (names.length > 0) policies.set(machine.agent_id, names.join(', '))
      }
    }
    return { policies }
  },
}
