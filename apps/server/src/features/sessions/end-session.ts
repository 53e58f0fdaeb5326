import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { deleteSessions } from './queries.ts'

/** Ends sessions of a user: one, all, or all but one. Sockets that hang on them close on the event. */
export async function endSessions(
  ctx: Context,
  caller: Caller,
  { user, only, except }: { user: { id: number; username: string }; only?: string; except?: string },
): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    const ended = await deleteSessions(tx, {
      userId: user.id,
      ...(only === undefined ? {} : { only }),
      ...(except === undefined ? {} : { except }),
    })
    if (ended.length === 0) return
    const isOwn = user.id === caller.userId
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
