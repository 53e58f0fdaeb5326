import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { requireRole, requireSuperuser, toldOf } from './save-role.ts'

const MOST_NAMED = 5

/** Deletes a role that nobody has. */
export async function removeRole(ctx: Context, caller: Caller, id: number): Promise<void> {
  requireSuperuser(caller)
  await ctx.transaction(async (tx, emit) => {
    const role = await requireRole(tx, id)
    if (role.users.length > 0)
      throw new AppError('conflict', `The role "${role.name}" cannot be deleted: ${whoHasIt(role.users)}.`)
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'role',
      message: `Deleted the role "${role.name}"`,
      before: toldOf(role),
      at: ctx.now(),
      emit,
    })
    await tx.deleteFrom('roles').where('id', '=', id).execute()
    emit({ type: 'user.changed', ids: [] })
  })
}

function whoHasIt(users: readonly string[]): string {
  const named = users.slice(0, MOST_NAMED).join(', ')
  const rest = users.length - MOST_NAMED
  return `${named}${rest > 0 ? ` and ${rest} more` : ''} ${users.length === 1 ? 'has' : 'have'} it`
}
