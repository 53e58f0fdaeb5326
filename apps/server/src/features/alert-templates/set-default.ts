import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { refuseLimited } from '../../platform/http/refuse-limited.ts'
import { audit } from '../audit/write-audit.ts'
import { enqueueApply } from './apply-templates.ts'
import { findDefault, findTemplate, storeDefault } from './queries.ts'
import { requireAssignable } from './require-template.ts'

/** Chooses the template of whatever has no other one. */
export function setDefault(ctx: Context, caller: Caller, id: number | null): Promise<void> {
  refuseLimited(caller, 'Alert templates')
  return ctx.transaction(async (tx, emit) => {
    const name = await requireAssignable(tx, id, 'alert_template')
    const before = await findDefault(tx)
    if (before === id) return
    const old = before === null ? undefined : await findTemplate(tx, before)
    await storeDefault(tx, id)
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'coresettings',
      message:
        id === null ? 'Took away the default alert template' : `Made "${name}" the default alert template`,
      before: { alert_template: old?.name ?? null },
      after: { alert_template: id === null ? null : name },
      at: ctx.now(),
      emit,
    })
    await enqueueApply(ctx, tx)
    emit({ type: 'alert_template.changed', ids: [] })
  })
}
