import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { redefineKeyUses } from '../../keystore/redefine-key-uses.ts'
import { deleteSessions } from '../sessions/queries.ts'
import { holdRights } from './queries.ts'
import { openComparison } from './exceeding.ts'
import { refuseOneself, requireMayChange, requireSuperuserLeft, requireUser } from './require-changeable.ts'
import { toldOf } from './view.ts'

/** Deletes a user and ends the user's sessions. What the user did stays in the audit log under the name. */
export async function removeUser(ctx: Context, caller: Caller, id: number): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    await holdRights(tx, { user: id })
    const user = await requireUser(tx, id)
    requireMayChange(await openComparison(tx, caller), user)
    refuseOneself(caller, user, 'You cannot delete yourself.')
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'user',
      message: `Deleted the user "${user.username}"`,
      before: toldOf(user),
      at: ctx.now(),
      emit,
    })
    const ended = await deleteSessions(tx, { userId: id })
    await tx.deleteFrom('users').where('id', '=', id).execute()
    await requireSuperuserLeft(tx)
    await redefineKeyUses(tx, emit)
    emit({ type: 'user.changed', ids: [id] })
    if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
  })
}
