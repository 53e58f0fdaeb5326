import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { refuseLimited } from '../../platform/http/refuse-limited.ts'
import { forgetScriptInTemplates } from '../alerts/templates/forget-script.ts'
import { audit } from '../audit/write-audit.ts'
import { forgetScript } from '../checks/forget-script.ts'
import { deleteWithTasks } from '../tasks/forget-script.ts'
import { deleteScriptRow } from './queries.ts'
import { requireLockedScript } from './require-script.ts'
import { refuseScriptUses } from './script-uses.ts'
import { viewForAudit } from './view.ts'

/** Deletes a script. What was run with it keeps the name in the history. */
export function removeScript(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseLimited(caller, 'Scripts')
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLockedScript(tx, id)
    if (row.script_type === 'builtin') {
      throw new AppError('not_allowed', 'Built-in scripts cannot be deleted. Hide it instead.')
    }
    await refuseScriptUses(tx, caller, id)
    await forgetScript({ ctx, tx, emit }, id, ctx.now())
    await forgetScriptInTemplates({ ctx, tx, emit }, id)
    const at = ctx.now()
    await deleteWithTasks({ ctx, tx, emit }, { id, at, remove: () => deleteScriptRow(tx, id) })
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'script',
      message: `Deleted the script "${row.name}"`,
      before: viewForAudit(row),
      at: ctx.now(),
      emit,
    })
    emit({ type: 'script.changed', ids: [id] })
  })
}
