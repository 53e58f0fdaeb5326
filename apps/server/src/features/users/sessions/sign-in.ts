import type { SignIn } from '@muster/contract/api/sessions'
import { AppError } from '@muster/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Selectable } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Context } from '../../../context.ts'
import { verifyPassword } from '../../../platform/secrets/passwords.ts'
import { audit } from '../../audit/write-audit.ts'
import { readCoreSettings } from '../../../platform/config/core-settings.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { UsersTable } from '../../../platform/database/tables/users.ts'
import { digestOf, newToken } from '../../../platform/secrets/secrets.ts'
import {
  deleteSessionOfCookie,
  deleteSessions,
  findUserByName,
  findWholeUser,
  insertSession,
  isSuperuser,
  takeTotpStep,
} from './queries.ts'
import { endOfSession, type SessionCookies } from './session-cookies.ts'
import {
  countFailure,
  forgiveFailures,
  keyList,
  refuseWhileBlocked,
  type ThrottleKeys,
  throttleKeys,
} from './throttle.ts'
import { findTotpStep, newTotpKey } from './confirm-code.ts'
import { Turns } from './slots.ts'
import { displayName } from './find-caller.ts'

export interface SignInParts {
  ctx: Context
  cookies: SessionCookies
  turns: Turns
  /** The key used for users without one, so that all codes take equally long. */
  placeholderKey: string
}

export function createSignInDesk(ctx: Context, cookies: SessionCookies): SignInParts {
  return { ctx, cookies, turns: new Turns(), placeholderKey: newTotpKey() }
}

export interface Attempt {
  username: string
  password: string
  request: FastifyRequest
  reply: FastifyReply
}

/** Signs in with the password alone: a session for a user without TOTP; others need a code. */
export function signInByPassword(desk: SignInParts, attempt: Attempt): Promise<SignIn> {
  return attemptSignIn(desk, attempt, async (keys, user) => {
    // Failures stay counted: a correct password must not allow new attempts at the code.
    if (user.totp_confirmed === 1) return { totp: true }
    return openSession(desk, { ...attempt, user, keys, hasCode: false })
  })
}

/** Signs in with password and code. The first accepted code confirms a pending key. */
export function signInByCode(desk: SignInParts, attempt: Attempt & { code: string }): Promise<SignIn> {
  const { ctx } = desk
  return attemptSignIn(desk, attempt, async (keys, user) => {
    const step = findStep(desk, user, attempt.code)
    if (step === undefined || !(await takeTotpStep(ctx.db, user.id, step))) return undefined
    return openSession(desk, { ...attempt, user, keys, hasCode: true })
  })
}

/**
 * The common part of both ways, in this order: one attempt at a time per account and source; no hashing while blocked;
 * the same response after the same work, whatever was wrong.
 */
async function attemptSignIn(
  desk: SignInParts,
  attempt: Attempt & { code?: string },
  finish: (keys: ThrottleKeys, user: SigningUser) => Promise<SignIn | undefined>,
): Promise<SignIn> {
  const { ctx, cookies, turns } = desk
  const username = attempt.username.toLowerCase()
  const { request } = attempt
  const keys = throttleKeys(username, request.ip, findDevice(ctx, cookies, { request, username }))
  return turns.run(keyList(keys), async () => {
    await refuseWhileBlocked(ctx, keys)
    const user = await findUserByName(ctx.db, username)
    const isRight = await verifyPassword(
      attempt.password,
      user?.is_active === 1 ? user.password_hash : undefined,
    )
    if (user !== undefined && isRight) {
      await refuseBlockedLogon(ctx, user, request.ip)
      const answer = await finish(keys, user)
      if (answer !== undefined) return answer
    } else if (attempt.code !== undefined) {
      findStep(desk, user, attempt.code)
    }
    await countFailure(ctx, keys)
    await auditFailure(ctx, request.ip, user)
    throw new AppError('bad_credentials', 'User name, password or code is wrong. Check them and try again.')
  })
}

function findStep(desk: SignInParts, user: SigningUser | undefined, code: string): number | undefined {
  const key = user?.totp_key == null ? undefined : desk.ctx.secrets.decrypt(user.totp_key)
  const step = findTotpStep(key ?? desk.placeholderKey, code, desk.ctx.now())
  return key === undefined ? undefined : step
}

/** Superusers may always sign in with a password. */
async function refuseBlockedLogon(ctx: Context, user: SigningUser, source: string): Promise<void> {
  const { block_local_user_logon: isBlocked } = await readCoreSettings(ctx.db)
  if (!isBlocked || (await isSuperuser(ctx.db, user.id))) return
  await auditFailure(ctx, source, user)
  throw new AppError('not_allowed', 'Only superusers can sign in with a password.')
}

/** An unknown name is not stored: it may be a password in the wrong field. */
async function auditFailure(ctx: Context, source: string, user: SigningUser | undefined): Promise<void> {
  await audit(ctx.db, {
    caller: { username: user?.username ?? '', source },
    action: 'failed_login',
    object_type: 'user',
    message:
      user === undefined ? 'Failed to sign in as an unknown user' : `Failed to sign in as "${user.username}"`,
    at: ctx.now(),
    emit: ctx.emit,
  })
}

type SigningUser = Selectable<UsersTable>

const MAX_USER_AGENT_LENGTH = 300

/** Ends a successful sign-in: stores the session, sets its cookies, and returns the token, which is shown only now. */
async function openSession(
  { ctx, cookies }: { ctx: Context; cookies: SessionCookies },
  {
    user,
    hasCode,
    keys,
    request,
    reply,
  }: {
    user: SigningUser
    /** A TOTP code was accepted besides the password. */
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
      user_agent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT_LENGTH),
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
 * Ends the previous session of this browser. If the code was the first ever, ends all other sessions of the user too,
 * which were opened with the password alone.
 */
async function endReplaced(
  tx: Db,
  { user, fresh, oldCookie }: { user: SigningUser; fresh: SigningUser; oldCookie: string | undefined },
): Promise<string[]> {
  if (fresh.totp_confirmed === 1 && user.totp_confirmed === 0) return deleteSessions(tx, { userId: user.id })
  return oldCookie === undefined ? [] : deleteSessionOfCookie(tx, user.id, digestOf(oldCookie))
}

/** Reads the user again: password, rights or TOTP may have changed during the verification. */
async function requireUnchanged(tx: Db, user: SigningUser, hasCode: boolean): Promise<SigningUser> {
  const fresh = await findWholeUser(tx, user.id)
  const isSame = fresh?.password_hash === user.password_hash && fresh.is_active === 1
  if (isSame && (hasCode || fresh.totp_confirmed === 0)) return fresh
  throw new AppError('conflict', 'This account was changed a moment ago. Sign in again.')
}

/**
 * A sealed cookie with the account that signed in with this browser. It grants no access: throttle.ts uses it to
 * distinguish the owner's browser from strangers who guess.
 */
export function findDevice(
  ctx: Context,
  cookies: SessionCookies,
  { request, username }: { request: FastifyRequest; username: string },
): string | undefined {
  const sealed = cookies.findDevice(request)
  if (sealed === undefined) return undefined
  try {
    const [id, owner] = ctx.secrets.decrypt(sealed).split(' ', 2)
    return owner === username ? id : undefined
  } catch {
    // Sealed with another key, or forged: an unknown browser.
    return undefined
  }
}

function rememberDevice(
  ctx: Context,
  cookies: SessionCookies,
  { request, reply, username }: { request: FastifyRequest; reply: FastifyReply; username: string },
): void {
  if (findDevice(ctx, cookies, { request, username }) !== undefined) return
  cookies.setDevice(reply, ctx.secrets.encrypt(`${randomUUID()} ${username}`))
}
