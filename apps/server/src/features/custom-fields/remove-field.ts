import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { refuseLimited } from '../../platform/http/refuse-limited.ts'
import { audit } from '../audit/write-audit.ts'
import { redefineVariables } from '../checks/redefine-variables.ts'
import { requireLockedField } from './change-field.ts'
import { emitOwnersChanged } from './emit-owners.ts'
import { deleteFieldRow } from './queries.ts'
import { viewForAudit } from './view.ts'

/** Deletes a custom field; the values of all that had one go with it. */
export function removeField(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseLimited(caller, 'Custom fields')
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLockedField(tx, id)
    await emitOwnersChanged(tx, emit, id)
    await deleteFieldRow(tx, id)
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'customfield',
      message: `Deleted the custom field "${row.name}" of ${row.model}s`,
      before: viewForAudit(row),
      at: ctx.now(),
      emit,
    })
    await redefineVariables(tx, emit, 'all')
    emit({ type: 'customfield.changed', ids: [id] })
  })
}
