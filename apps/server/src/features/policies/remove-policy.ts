import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { confirmPlan } from './plan-save.ts'
import { deletePolicyRow } from './queries.ts'
import { requireWholePolicy } from './require-policy.ts'
import { documentForAudit, emitPlaces, openSave } from './store-save.ts'

/** Deletes a policy with its history. Machines lose what they have by it after the commit. */
export async function removePolicy(
  ctx: Context,
  caller: Caller,
  { id, plan }: { id: number; plan: string | undefined },
): Promise<void> {
  const state = await confirmPlan(ctx, caller, { id, plan })
  return ctx.transaction(async (tx, emit) => {
    const { set } = await openSave({ ctx, tx, emit, caller }, state)
    const { document } = await requireWholePolicy(tx, caller, set, id)
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
    emitPlaces(emit, document.targets)
  })
}
