import type { planPolicy, PolicyPlan } from '@muster/contract/api/automation'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { checkDocument } from './check-document.ts'
import { numberChecks } from './number-checks.ts'
import { planChange } from './plan-policy.ts'
import { loadPolicySet, NEW_POLICY } from './policy-set.ts'
import { requireWholePolicy } from './require-policy.ts'

/** What saving this policy, or deleting it, would do. Refused where the save would be. */
export async function planSave(
  ctx: Context,
  caller: Caller,
  { id, policy: given }: Parsed<typeof planPolicy>['body'],
): Promise<PolicyPlan> {
  const { db } = ctx
  const set = await loadPolicySet(db)
  const known = id === undefined ? undefined : await requireWholePolicy(db, caller, set, id)
  if (given === undefined) {
    if (known !== undefined) {
      return planChange(db, caller, { set, instead: { id: known.id, document: undefined } })
    }
    throw new AppError('invalid', 'Say which policy is meant, or what a new one is to be.')
  }
  const { document } = numberChecks(given, known?.row.last_check ?? 0)
  const before = known?.document
  const checked = await checkDocument({ ctx, db, caller, set, before }, document)
  return planChange(db, caller, { set, instead: { id: known?.id ?? NEW_POLICY, document: checked } })
}
