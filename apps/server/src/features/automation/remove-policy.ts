import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { planChange } from './plan-policy.ts'
import { deletePolicyRow } from './queries.ts'
import { requireWholePolicy } from './require-policy.ts'
import { documentForAudit, openSave, refusePlan } from './store-save.ts'

/** Deletes a policy with its history. Machines lose what they have by it after the commit. */
export function removePolicy(
  ctx: Context,
  caller: Caller,
  { id, plan }: { id: number; plan: string | undefined },
): Promise<void> {
  return ctx.transaction(async (tx, emit) => {
    const { set } = await openSave({ ctx, tx, emit, caller })
    const { document } = await requireWholePolicy(tx, caller, set, id)
    if (plan !== undefined) {
      const now = await planChange(tx, caller, { set, instead: { id, document: undefined } })
      if (now.token !== plan) refusePlan()
    }
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'policy',
      message: `Deleted the policy "${document.name}"`,
      before: documentForAudit(document, set),
      at: ctx.now(),
      emit,
    })
    await deletePolicyRow(tx, id)
    emit({ type: 'policy.changed', ids: [id] })
  })
}
