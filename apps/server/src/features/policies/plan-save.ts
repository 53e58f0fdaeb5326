import type { planPolicy, PolicyDocument } from '@muster/contract/api/policies'
import type { PolicyPlan } from '@muster/contract/policies/assigned-policies'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { checkDocument } from './check-document.ts'
import { planChange } from './plan-policy.ts'
import { loadPolicySet, NEW_POLICY } from './policy-set.ts'
import { refusePolicyRuns } from './refuse-policy-runs.ts'
import { requireWholePolicy } from './require-policy.ts'

/** Returns the effect of saving or deleting this policy. Throws if the save itself would be refused. */
export async function planSave(
  ctx: Context,
  caller: Caller,
  { id, policy: given }: Parsed<typeof planPolicy>['body'],
): Promise<PolicyPlan> {
  return (await makePlan(ctx, caller, { id, policy: given })).plan
}

/**
 * Refuses a save with a stale plan. Call it before the transaction, which it would delay: a plan reads every machine.
 * Returns the state of the policies for openSave, so that no other save comes in between.
 */
export async function confirmPlan(
  ctx: Context,
  caller: Caller,
  { plan: token, ...what }: Parsed<typeof planPolicy>['body'] & { plan: string | undefined },
): Promise<string | undefined> {
  if (token === undefined) return undefined
  const { plan, state } = await makePlan(ctx, caller, what)
  if (plan.token !== token) refusePlan()
  return state
}

export function refusePlan(): never {
  throw new AppError(
    'changed_meanwhile',
    'The policies or machines have changed, and saving would have another effect now. Check the plan again.',
  )
}

async function makePlan(
  ctx: Context,
  caller: Caller,
  { id, policy: given }: Parsed<typeof planPolicy>['body'],
): Promise<{ plan: PolicyPlan; state: string }> {
  const { db } = ctx
  const set = await loadPolicySet(db)
  const { state } = set
  const known = id === undefined ? undefined : await requireWholePolicy(db, caller, set, id)
  if (given === undefined) {
    if (known !== undefined) {
      const plan = await planChange(db, caller, { set, instead: { id: known.id, document: undefined } })
      return { plan, state }
    }
    throw new AppError('invalid', 'Choose a policy, or describe a new one.')
  }
  const { document } = numberContent(given, known?.row.last_number ?? 0)
  const before = known?.document
  await refusePolicyRuns(db, caller, { set, before: known, document })
  const checked = await checkDocument({ ctx, db, caller, set, before }, document)
  const instead = { id: known?.id ?? NEW_POLICY, document: checked }
  return { plan: await planChange(db, caller, { set, instead }), state }
}

type Numbered = { id?: number | undefined }

/**
 * Numbers new checks and tasks. Numbers are never reused within a policy: machines keep results by number, also after a
 * change or a revert.
 */
export function numberContent(
  document: PolicyDocument,
  last: number,
): { document: PolicyDocument; last: number } {
  const { checks, tasks } = document.content
  const given = [...checks, ...tasks].flatMap(({ id }: Numbered) => (id === undefined ? [] : [id]))
  if (new Set(given).size < given.length || given.some((id) => id > last)) {
    throw new AppError(
      'invalid',
      'A new check or task of a policy has no id, and existing ones have different ids.',
      {
        fields: { content: ['Leave out the id of a new check or task.'] },
      },
    )
  }
  let next = last
  const number = <One extends Numbered>(one: One) => ({ ...one, id: one.id ?? (next += 1) })
  const content = { ...document.content, checks: checks.map(number), tasks: tasks.map(number) }
  return { document: { ...document, content }, last: next }
}
