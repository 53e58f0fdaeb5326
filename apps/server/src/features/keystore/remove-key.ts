import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { refuseLimited } from '../../platform/http/refuse-limited.ts'
import { audit } from '../audit/write-audit.ts'
import { redefineVariables } from '../checks/redefine-variables.ts'
import { deleteKeyRow } from './queries.ts'
import { requireLockedKey } from './require-key.ts'

export function removeKey(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseLimited(caller, 'Keys')
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLockedKey(tx, id)
    await deleteKeyRow(tx, id)
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'keystore',
      message: `Deleted the key "${row.name}"`,
      before: { name: row.name },
      at: ctx.now(),
      emit,
    })
    await redefineVariables(tx, emit, 'all')
    emit({ type: 'keystore.changed', ids: [id] })
  })
}
