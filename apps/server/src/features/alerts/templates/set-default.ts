import { AppError } from '@muster/contract/errors'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { type Caller, mayDo, refuseLimited } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { enqueueApply } from './apply-templates.ts'
import { findDefault, findTemplate, storeDefault } from './queries.ts'
import { requireAssignable } from './write-template.ts'

interface Parts {
  ctx: Context
  tx: Db
  emit: (event: Event) => void
}

/** Sets the default template. */
export function setDefault(ctx: Context, caller: Caller, id: number | null): Promise<void> {
  return ctx.transaction((tx, emit) => changeDefault({ ctx, tx, emit }, caller, id))
}

/** Sets it within a transaction. */
export async function changeDefault(
  { ctx, tx, emit }: Parts,
  caller: Caller,
  id: number | null,
): Promise<void> {
  refuseLimited(caller, 'Alert templates')
  const before = await findDefault(tx)
  if (before === id) return
  if (!mayDo(caller, 'can_manage_alerttemplates')) {
    throw new AppError(
      'not_allowed',
      'Your role does not allow changing alert templates (can_manage_alerttemplates). Ask an administrator.',
    )
  }
  const name = await requireAssignable(tx, id, 'alert_template')
  const old = before === null ? undefined : await findTemplate(tx, before)
  await storeDefault(tx, id)
  await audit(tx, {
    caller,
    action: 'modify',
    object_type: 'coresettings',
    message:
      id === null ? 'Removed the default alert template' : `Set the default alert template to "${name}"`,
    before: { alert_template: old?.name ?? null },
    after: { alert_template: id === null ? null : name },
    at: ctx.now(),
    emit,
  })
  await enqueueApply(ctx, tx)
  emit({ type: 'alert_template.changed', ids: [] })
}
