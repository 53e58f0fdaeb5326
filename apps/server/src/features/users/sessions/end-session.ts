import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { openComparison } from '../accounts/exceeding.ts'
import { holdRights } from '../accounts/queries.ts'
import { requireMayChange, requireUser } from '../accounts/require-changeable.ts'
import { audit } from '../../audit/write-audit.ts'
import { deleteSessions } from './queries.ts'

/**
 * Ends sessions of a user: one, all, or all but one; of somebody else only by who may change that user. Sockets that
 * hang on them close on the event.
 */
export async function endSessions(
  ctx: Context,
  caller: Caller,
  { user, only, except }: { user: { id: number; username: string }; only?: string; except?: string },
): Promise<void> {
  const isOwn = user.id === caller.userId
  await ctx.transaction(async (tx, emit) => {
    if (!isOwn) {
      await holdRights(tx, { user: user.id })
      requireMayChange(await openComparison(tx, caller), await requireUser(tx, user.id))
    }
    const ended = await deleteSessions(tx, {
      userId: user.id,
      ...(only === undefined ? {} : { only }),
      ...(except === undefined ? {} : { except }),
    })
    if (ended.length === 0) return
    await audit(tx, {
      caller,
      action: isOwn && only !== undefined && only === caller.session?.digest ? 'logout' : 'delete',
      object_type: 'session',
      message:
        ended.length === 1
          ? `Ended a session of "${user.username}"`
          : `Ended ${ended.length} sessions of "${user.username}"`,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'session.ended', ids: ended })
  })
}
