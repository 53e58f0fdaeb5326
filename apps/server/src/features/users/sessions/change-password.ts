import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { hashPassword, refuseWeakPassword } from '../../../platform/secrets/passwords.ts'
import { audit } from '../../audit/write-audit.ts'
import { deleteSessions } from './queries.ts'

/** Sets the caller's own password and ends the other sessions, whoever holds them. */
export async function changeOwnPassword(ctx: Context, caller: Caller, password: string): Promise<void> {
  refuseWeakPassword(password, caller.username)
  const hash = await hashPassword(password)
  await ctx.transaction(async (tx, emit) => {
    await tx.updateTable('users').set({ password_hash: hash }).where('id', '=', caller.userId).execute()
    const ended = await deleteSessions(tx, {
      userId: caller.userId,
      ...(caller.session === undefined ? {} : { except: caller.session.digest }),
    })
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'user',
      message: `Changed the password of "${caller.username}"`,
      at: ctx.now(),
      emit,
    })
    if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
  })
}
