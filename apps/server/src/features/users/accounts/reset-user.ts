import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { hashPassword, refuseWeakPassword } from '../../../platform/secrets/passwords.ts'
import { audit } from '../../audit/write-audit.ts'
import { deleteSessions } from '../sessions/queries.ts'
import { holdRights } from './queries.ts'
import { openComparison } from './exceeding.ts'
import { refuseOneself, requireMayChange, requireUser } from './require-changeable.ts'

const PASSWORD = {
  what: 'the password',
  own: 'Change your own password in the menu of your account.',
}
const TOTP = {
  what: 'two-factor sign-in',
  own: 'Reset your own two-factor sign-in in the menu of your account.',
}

/** Sets another user's password, and forgets that there were failures to sign in with the old one. */
export async function setUserPassword(
  ctx: Context,
  caller: Caller,
  { id, password }: { id: number; password: string },
): Promise<void> {
  const password_hash = await hashPassword(password)
  await reset(ctx, caller, { id, password, ...PASSWORD, columns: { password_hash } })
}

/** Forgets another user's authenticator: the next sign-in sets up a new one. */
export async function forgetUserTotp(ctx: Context, caller: Caller, id: number): Promise<void> {
  await reset(ctx, caller, { id, ...TOTP, columns: { totp_key: null, totp_confirmed: 0 } })
}

interface Reset {
  id: number
  what: string
  own: string
  password?: string
  columns: { password_hash: string } | { totp_key: null; totp_confirmed: 0 }
}

async function reset(
  ctx: Context,
  caller: Caller,
  { id, what, own, password, columns }: Reset,
): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    await holdRights(tx, { user: id })
    const user = await requireUser(tx, id)
    requireMayChange(await openComparison(tx, caller), user)
    refuseOneself(caller, user, own)
    if (password !== undefined) refuseWeakPassword(password, user.username)
    await tx.updateTable('users').set(columns).where('id', '=', id).execute()
    await tx.deleteFrom('throttles').where('key', '=', `account:${user.username}`).execute()
    const ended = await deleteSessions(tx, { userId: id })
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'user',
      message: `Reset ${what} of "${user.username}"`,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'user.changed', ids: [id] })
    if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
  })
}
