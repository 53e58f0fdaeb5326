import type { Role } from '@muster/contract/api/users'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { findRoles } from './queries.ts'

/** Says whether a role asks for a code before remote tools. */
export async function changeRole(
  ctx: Context,
  caller: Caller,
  { id, asksForCode }: { id: number; asksForCode: boolean },
): Promise<Role> {
  if (!caller.isSuperuser) throw new AppError('not_allowed', 'Only superusers may change roles.')
  return ctx.transaction(async (tx, emit) => {
    const [before] = await findRoles(tx, id)
    if (before === undefined) throw new AppError('not_found', 'There is no such role.')
    await tx
      .updateTable('roles')
      .set({ require_2fa_for_remote: asksForCode ? 1 : 0 })
      .where('id', '=', id)
      .execute()
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'user',
      message: `Changed the role "${before.name}"`,
      before: { require_2fa_for_remote: before.require_2fa_for_remote },
      after: { require_2fa_for_remote: asksForCode },
      at: ctx.now(),
      emit,
    })
    // Of anybody who has the role.
    emit({ type: 'user.changed', ids: [] })
    return { ...before, require_2fa_for_remote: asksForCode }
  })
}
