import type { SignIn } from '@muster/contract/api/sessions'
import { AppError } from '@muster/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Selectable } from 'kysely'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { UsersTable } from '../../../platform/database/tables/users.ts'
import { digestOf, newToken } from '../../../platform/secrets/secrets.ts'
import { audit } from '../../audit/write-audit.ts'
import { rememberDevice } from './devices.ts'
import { displayName } from './find-caller.ts'
import { deleteSessionOfCookie, deleteSessions, findWholeUser, insertSession } from './queries.ts'
import type { SessionCookies } from './session-cookies.ts'
import { endOfSession } from './session-life.ts'
import { forgiveFailures, type ThrottleKeys } from './throttle.ts'

export type SigningUser = Selectable<UsersTable>

const LONGEST_USER_AGENT = 300

/** The end of a successful sign-in: the session's row, its two cookies, and the token that is told only now. */
export async function openSession(
  { ctx, cookies }: { ctx: Context; cookies: SessionCookies },
  {
    user,
    hasCode,
    keys,
    request,
    reply,
  }: {
    user: SigningUser
    /** A TOTP code was accepted beside the password. */
    hasCode: boolean
    keys: ThrottleKeys
    request: FastifyRequest
    reply: FastifyReply
  },
): Promise<SignIn> {
  const now = ctx.now()
  const token = newToken()
  const cookie = newToken()
  const expiry = endOfSession(now)
  const source = request.ip
  await ctx.transaction(async (tx, emit) => {
    const fresh = await requireUnchanged(tx, user, hasCode)
    const ended = await endReplaced(tx, { user, fresh, oldCookie: cookies.find(request) })
    await insertSession(tx, {
      digest: digestOf(token),
      user_id: user.id,
      cookie_digest: digestOf(cookie),
      created_at: now.toISOString(),
      expires_at: expiry,
      last_used_at: now.toISOString(),
      source,
      user_agent: (request.headers['user-agent'] ?? '').slice(0, LONGEST_USER_AGENT),
      code_at: hasCode ? now.toISOString() : null,
    })
    await tx
      .updateTable('users')
      .set({ last_login: now.toISOString(), last_login_source: source })
      .where('id', '=', user.id)
      .execute()
    await forgiveFailures(tx, keys, now)
    await audit(tx, {
      caller: { username: user.username, source },
      action: 'login',
      object_type: 'user',
      message: `Signed in as "${user.username}"`,
      at: now,
      emit,
    })
    if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
  })
  cookies.set(reply, cookie)
  cookies.keepXsrf(request, reply)
  rememberDevice(ctx, cookies, { request, reply, username: user.username })
  return { totp: hasCode, token, username: user.username, name: displayName(user), expiry }
}

/**
 * The session that this browser held so far; and, when this sign-in's code was the first ever, all others of the
 * user, for they were opened with the password alone.
 */
async function endReplaced(
  tx: Db,
  { user, fresh, oldCookie }: { user: SigningUser; fresh: SigningUser; oldCookie: string | undefined },
): Promise<string[]> {
  if (fresh.totp_confirmed === 1 && user.totp_confirmed === 0) return deleteSessions(tx, { userId: user.id })
  return oldCookie === undefined ? [] : deleteSessionOfCookie(tx, user.id, digestOf(oldCookie))
}

/** The user as it is now: password, rights or TOTP may have changed while the password was being checked. */
async function requireUnchanged(tx: Db, user: SigningUser, hasCode: boolean): Promise<SigningUser> {
  const fresh = await findWholeUser(tx, user.id)
  const isSame = fresh?.password_hash === user.password_hash && fresh.is_active === 1
  if (isSame && (hasCode || fresh.totp_confirmed === 0)) return fresh
  throw new AppError('conflict', 'This account was changed a moment ago. Sign in again.')
}
