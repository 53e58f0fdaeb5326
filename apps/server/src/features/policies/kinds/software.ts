import type { PolicySoftware } from '@muster/contract/policies/policy-content'
import { describeWanted } from '@muster/rules/agents/wanted-software'
import { mergePolicies } from '@muster/rules/policies/policy-merge'
import { chunk } from '../../../platform/database/sql.ts'
import type { PolicySet } from '../policy-set.ts'
import { appliedOf, type ContentKind, type Resolved, type Thing } from './kind.ts'

type Wanted = { policySoftware: PolicySoftware }

/**
 * Software that machines have, in the newest version or any, or do not have. A package is identified by its first name.
 * The result is stored with the machine: features/software enforces it without knowing policies.
 */
export const softwareKind: ContentKind<Wanted> = {
  name: 'software',
  resolve: async (_db, set, machines) =>
    machines.map((chained) => {
      const { plat } = chained.machine
      const unfit: Resolved<Wanted>['unfit'] = []
      const applied = appliedOf(set, chained, (policy) => {
        const all = itemsOf(set, policy)
        const fits = ({ value }: (typeof all)[number]) => value.ref.policySoftware.platforms.includes(plat)
        unfit.push(
          ...all
            .filter((one) => !fits(one))
            .map(({ value }) => ({ what: value.what, policy, why: 'other_system' as const })),
        )
        return all.filter(fits)
      })
      const effective = mergePolicies<Thing<Wanted>>([], applied)
      const stored = JSON.stringify(effective.map(({ value }) => value.ref.policySoftware))
      return { ...chained, effective, unfit, stored }
    }),
  findDrift: async (_db, resolved) =>
    resolved.filter(({ stored, machine }) => stored !== (machine.software_policy ?? '[]')),
  apply: async ({ ctx, tx, emit }, resolved) => {
    const check_at = ctx.now().toISOString()
    for (const [policy = '[]', group] of Map.groupBy(resolved, ({ stored }) => stored)) {
      for (const slice of chunk(group.map(({ machine }) => machine.agent_id))) {
        await tx
          .insertInto('machine_software_policies')
          .columns(['agent', 'policy', 'check_at'])
          .expression((eb) =>
            eb
              .selectFrom('agents')
              .select(['id', eb.val(policy).as('policy'), eb.val(check_at).as('check_at')])
              .where('agent_id', 'in', slice),
          )
          .onConflict((conflict) => conflict.column('agent').doUpdateSet({ policy, check_at }))
          .execute()
        emit({ type: 'agent.changed', ids: slice, agent_ids: slice, passing: true })
      }
    }
  },
}

function itemsOf(set: PolicySet, policyId: number) {
  const items = set.policies.get(policyId)?.document.content.software ?? []
  return items.map((policySoftware) => ({
    key: (policySoftware.names[0] ?? '').toLowerCase(),
    value: {
      what: describeWanted(policySoftware),
      digest: JSON.stringify(policySoftware),
      row_id: null,
      ref: { policySoftware },
    },
  }))
}
