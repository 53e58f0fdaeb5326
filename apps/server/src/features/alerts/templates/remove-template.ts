import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { refuseLimited } from '../../../platform/http/refuse-limited.ts'
import { audit } from '../../audit/write-audit.ts'
import { enqueueApply } from './apply-templates.ts'
import { ASSIGNED_TO, deleteTemplateRow, findDefault, storeDefault } from './queries.ts'
import { requireLockedTemplate } from './require-template.ts'
import { formOf, maskRest } from './stored-template.ts'

/** Deletes a template; whatever it was assigned to has none from then on. Actions that have begun go on. */
export function removeTemplate(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseLimited(caller, 'Alert templates')
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLockedTemplate(tx, id)
    for (const table of ASSIGNED_TO) {
      await tx
        .updateTable(table)
        .set({ alert_template_id: null })
        .where('alert_template_id', '=', id)
        .execute()
    }
    if ((await findDefault(tx)) === id) await storeDefault(tx, null)
    await deleteTemplateRow(tx, id)
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'alerttemplate',
      message: `Deleted the alert template "${row.name}"`,
      before: formOf(row, maskRest),
      at: ctx.now(),
      emit,
    })
    await enqueueApply(ctx, tx)
    emit({ type: 'alert_template.changed', ids: [id] })
    emit({ type: 'client.changed', ids: [] })
  })
}
