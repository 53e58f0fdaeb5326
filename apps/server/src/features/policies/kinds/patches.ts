import { PATCH_SECTIONS, type PatchPolicy, type PatchSection } from '@muster/contract/policies/patch-policy'
import {
  describeApproval,
  describePatchAlert,
  describePatchSchedule,
  describePatchScripts,
  describeReboot,
  describeRing,
} from '@muster/rules/patches/patch-text'
import { type EffectiveItem, mergePolicies, type PolicyItem } from '@muster/rules/policies/policy-merge'
import { chunk } from '../../../platform/database/sql.ts'
import { readOwn } from '../../patches/policy/machine-policy.ts'
import type { PolicySet } from '../policy-set.ts'
import { appliedOf, type ContentKind, type Thing } from './kind.ts'

type PatchRef = { section: PatchSection; value: unknown }
type Item = PolicyItem<Thing<PatchRef>>

/**
 * How a machine gets its patches. Each section (approval, ring, schedule, scripts, restart, alert) comes from the nearest
 * policy that sets it, so one policy may approve for everybody and another only put machines into a ring. The result
 * is stored with the machine: features/patches reads it without knowing policies.
 */
export const patchesKind: ContentKind<PatchRef> = {
  name: 'patches',
  resolve: async (_db, set, machines) =>
    machines.map((chained) => {
      const applied = appliedOf(set, chained, (policy) =>
        itemsOf(set, set.policies.get(policy)?.document.content.patches),
      )
      const own = itemsOf(set, readOwn(chained.machine.own_patches ?? '{}'))
      const effective = mergePolicies(own, applied).toSorted(
        (a, b) => PATCH_SECTIONS.indexOf(a.value.ref.section) - PATCH_SECTIONS.indexOf(b.value.ref.section),
      )
      return { ...chained, effective, unfit: [], stored: write(effective) }
    }),
  findDrift: async (_db, resolved) =>
    resolved.filter(({ stored, machine }) => stored !== (machine.patch_policy ?? '{}')),
  apply: async ({ ctx, tx, emit }, resolved) => {
    const judge_at = ctx.now().toISOString()
    for (const [policy = '{}', group] of Map.groupBy(resolved, ({ stored }) => stored)) {
      for (const slice of chunk(group.map(({ machine }) => machine.agent_id))) {
        await tx
          .insertInto('machine_patch_policies')
          .columns(['agent', 'policy', 'judge_at'])
          .expression((eb) =>
            eb
              .selectFrom('agents')
              .select(['id', eb.val(policy).as('policy'), eb.val(judge_at).as('judge_at')])
              .where('agent_id', 'in', slice),
          )
          .onConflict((conflict) => conflict.column('agent').doUpdateSet({ policy, judge_at }))
          .execute()
        emit({ type: 'patches.changed', ids: slice, agent_ids: slice })
        emit({ type: 'agent.changed', ids: slice, agent_ids: slice, passing: true })
      }
    }
  },
}

type Sections = { [Section in PatchSection]?: PatchPolicy[Section] | undefined }

function itemsOf(set: PolicySet, sections: Sections = {}): Item[] {
  return PATCH_SECTIONS.flatMap((section): Item[] => {
    const what = describe(set, sections, section)
    if (what === undefined) return []
    const value = sections[section]
    return [
      { key: section, value: { what, digest: JSON.stringify(value), row_id: null, ref: { section, value } } },
    ]
  })
}

/** Undefined if the section is not set. */
function describe(set: PolicySet, sections: Sections, section: PatchSection): string | undefined {
  const { approval, ring, schedule, scripts, reboot, alert } = sections
  const nameOf = (id: number | null) =>
    id === null ? null : (set.scripts.get(id)?.name ?? 'a deleted script')
  switch (section) {
    case 'approval':
      return approval ? describeApproval(approval) : undefined
    case 'ring':
      return ring ? describeRing(ring) : undefined
    case 'schedule':
      return schedule ? describePatchSchedule(schedule) : undefined
    case 'scripts':
      return scripts
        ? describePatchScripts({ before: nameOf(scripts.before), after: nameOf(scripts.after) })
        : undefined
    case 'reboot':
      return reboot ? describeReboot(reboot) : undefined
    case 'alert':
      return alert ? describePatchAlert(alert) : undefined
  }
}

function write(effective: readonly EffectiveItem<Thing<PatchRef>>[]): string {
  const given = effective.map(({ key, value, source }) => [
    key,
    { value: value.ref.value, policy: source.own ? null : source.policy },
  ])
  return JSON.stringify(Object.fromEntries(given))
}
