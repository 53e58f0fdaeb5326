import {
  RECOVERY_CODE_LENGTH,
  type SignIn,
  type SignInFailure,
  type SignInMethod,
} from '@muster/contract/api/sessions'
import { AppError } from '@muster/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Selectable } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Context } from '../../../context.ts'
import { verifyPassword } from '../../../platform/secrets/passwords.ts'
import { readCoreSettings } from '../../../platform/config/core-settings.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { UsersTable } from '../../../platform/database/tables/users.ts'
import { digestOf, newToken } from '../../../platform/secrets/secrets.ts'
import { requestSecondFactor } from '../passkeys/challenges.ts'
import { countPasskeys, findPasskeys } from '../passkeys/queries.ts'
import {
  deleteSessionOfCookie,
  deleteSessions,
  displayName,
  findUserByName,
  findWholeUser,
  hasSsoAccount,
  insertSession,
  isSuperuser,
  takeTotpStep,
} from './queries.ts'
import { endOfSession, type SessionCookies } from './session-cookies.ts'
import { auditSignIn, userAgentOf } from './sign-ins.ts'
import {
  countFailure,
  forgiveFailures,
  keyList,
  refuseWhileBlocked,
  type ThrottleKeys,
  throttleKeys,
} from './throttle.ts'
import { countRecoveryCodes, takeRecoveryCode } from './recovery-codes.ts'
import { describeUsedCode, findTotpStep, newTotpKey } from './totp-codes.ts'
import { Turns } from './slots.ts'

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

/** Signs in with the password alone: a session for a user without a second factor; others need a code or a passkey. */
export function signInByPassword(desk: SignInParts, attempt: Attempt): Promise<SignIn> {
  return attemptSignIn(desk, attempt, async (keys, user) => {
    // Failures stay counted: a correct password must not allow new attempts at the code.
    const second = await askSecondFactor(desk.ctx, user, attempt.request)
    return second ?? openSession(desk, { ...attempt, user, keys, method: 'password' })
  })
}

/** Returns undefined for a user without a second factor. */
async function askSecondFactor(
  ctx: Context,
  user: SigningUser,
  request: FastifyRequest,
): Promise<SignIn | undefined> {
  const hasCode = user.totp_confirmed === 1
  const passkeys = await findPasskeys(ctx.db, user.id)
  if (passkeys.length === 0) return hasCode ? { totp: true } : undefined
  const passkey = await requestSecondFactor(ctx, { passkeys, request })
  if (passkey !== undefined) return { totp: true, passkey: { request: passkey, or_code: hasCode } }
  if (hasCode) return { totp: true }
  const hosts = [...new Set(passkeys.map(({ host }) => host))].join(' and ')
  throw new AppError('not_allowed', `Your passkeys work at ${hosts} only. Open this server there.`)
}

/** Signs in with password and code, or a recovery code. The first accepted code confirms a pending key. */
export function signInByCode(desk: SignInParts, attempt: Attempt & { code: string }): Promise<SignIn> {
  const { ctx } = desk
  return attemptSignIn(desk, attempt, async (keys, user) => {
    if (isRecoveryCode(attempt.code)) {
      if (user.totp_confirmed === 0 || !(await takeRecoveryCode(ctx, user.id, attempt.code)))
        return 'wrong_recovery_code'
      const left = await countRecoveryCodes(ctx.db, user.id)
      return openSession(desk, { ...attempt, user, keys, method: 'recovery_code', recoveryCodesLeft: left })
    }
    const step = findStep(desk, user, attempt.code)
    if (step === undefined) return 'wrong_code'
    if (!(await takeTotpStep(ctx.db, user.id, step))) {
      const used = await describeUsedCode(ctx, user.id, step)
      if (used === undefined) return 'used_code'
      await auditFailure(ctx, user, { request: attempt.request, method: 'code', reason: 'used_code' })
      throw new AppError('bad_credentials', used)
    }
    return openSession(desk, { ...attempt, user, keys, method: 'code' })
  })
}

/**
 * The common part of both ways, in this order: one attempt at a time per account and source; no hashing while blocked;
 * the same response after the same work, whatever was wrong, except for a right code that was just used.
 */
async function attemptSignIn(
  desk: SignInParts,
  attempt: Attempt & { code?: string },
  finish: (keys: ThrottleKeys, user: SigningUser) => Promise<SignIn | SignInFailure>,
): Promise<SignIn> {
  const { ctx, cookies, turns } = desk
  const username = attempt.username.toLowerCase()
  const { request } = attempt
  const keys = throttleKeys(username, request.ip, findDevice(ctx, cookies, { request, username }))
  return turns.run(keyList(keys), async () => {
    await refuseWhileBlocked(ctx, keys)
    const user = await findUserByName(ctx.db, username)
    const hasPassword = user?.is_active === 1 && !(await hasSsoAccount(ctx.db, user.id))
    const isRight = await verifyPassword(attempt.password, hasPassword ? user.password_hash : undefined)
    let reason: SignInFailure = user?.is_active === 0 ? 'blocked' : 'wrong_password'
    if (user !== undefined && isRight) {
      await refuseBlockedLogon(ctx, user, { request, method: methodOf(attempt.code) })
      const answer = await finish(keys, user)
      if (typeof answer !== 'string') return answer
      reason = answer
    } else if (attempt.code !== undefined) {
      // Nobody's code: takes as long, and consumes none.
      if (isRecoveryCode(attempt.code)) await takeRecoveryCode(ctx, 0, attempt.code)
      else findStep(desk, user, attempt.code)
    }
    await countFailure(ctx, keys)
    await auditFailure(ctx, user, { request, method: methodOf(attempt.code), reason })
    throw new AppError('bad_credentials', 'User name, password or code is wrong. Check them and try again.')
  })
}

/** TOTP codes are shorter. */
function isRecoveryCode(code: string): boolean {
  return code.length === RECOVERY_CODE_LENGTH
}

function findStep(desk: SignInParts, user: SigningUser | undefined, code: string): number | undefined {
  const key = user?.totp_key == null ? undefined : desk.ctx.secrets.decrypt(user.totp_key)
  const step = findTotpStep(key ?? desk.placeholderKey, code, desk.ctx.now())
  return key === undefined ? undefined : step
}

function methodOf(code: string | undefined): SignInMethod {
  if (code === undefined) return 'password'
  return isRecoveryCode(code) ? 'recovery_code' : 'code'
}

/** Superusers may sign in without a provider, unless they are for programs only. */
export async function refuseBlockedLogon(
  ctx: Context,
  user: SigningUser,
  attempt: { request: FastifyRequest; method: SignInMethod },
): Promise<void> {
  if (user.block_dashboard_login === 1) {
    await auditFailure(ctx, user, { ...attempt, reason: 'programs_only' })
    throw new AppError('not_allowed', 'This user is for programs only and cannot sign in.')
  }
  const { block_local_user_logon: isBlocked } = await readCoreSettings(ctx.db)
  if (!isBlocked || (await isSuperuser(ctx.db, user.id))) return
  await auditFailure(ctx, user, { ...attempt, reason: 'superusers_only' })
  const what = attempt.method === 'passkey' ? 'passkey' : 'password'
  throw new AppError('not_allowed', `Only superusers can sign in with a ${what}.`)
}

async function auditFailure(
  ctx: Context,
  user: SigningUser | undefined,
  attempt: { request: FastifyRequest; method: SignInMethod; reason: SignInFailure },
): Promise<void> {
  await auditSignIn(ctx.db, { ...attempt, user }, { at: ctx.now(), emit: ctx.emit })
}

export type SigningUser = Selectable<UsersTable>

/** Ends a successful sign-in: stores the session, sets its cookies, and returns the token, which is shown only now. */
export async function openSession(
  { ctx, cookies }: { ctx: Context; cookies: SessionCookies },
  {
    user,
    method,
    recoveryCodesLeft,
    keys,
    sso,
    request,
    reply,
  }: {
    user: SigningUser
    method: SignInMethod
    /** After a recovery code. */
    recoveryCodesLeft?: number
    /** Absent after a sign-in with a provider. */
    keys?: ThrottleKeys
    /** The account at a provider that signed in. */
    sso?: { accountId: number; provider: string; idToken: string }
    request: FastifyRequest
    reply: FastifyReply
  },
): Promise<SignIn> {
  const now = ctx.now()
  const token = newToken()
  const cookie = newToken()
  const expiry = endOfSession(now)
  const source = request.ip
  const hasCode = method !== 'password'
  const mustChangePassword = await ctx.transaction(async (tx, emit) => {
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
      user_agent: userAgentOf(request),
      code_at: hasCode ? now.toISOString() : null,
      proved_at: now.toISOString(),
      sso_account_id: sso?.accountId ?? null,
      id_token: sso === undefined ? null : ctx.secrets.encrypt(sso.idToken),
    })
    await tx
      .updateTable('users')
      .set({ last_login: now.toISOString(), last_login_source: source })
      .where('id', '=', user.id)
      .execute()
    if (keys !== undefined) await forgiveFailures(tx, keys, now)
    const withCode = recoveryCodesLeft === undefined ? '' : ` with a recovery code, ${recoveryCodesLeft} left`
    const withPasskey = method === 'passkey' ? ' with a passkey' : withCode
    const more = sso === undefined ? withPasskey : ` with the provider "${sso.provider}"`
    await auditSignIn(tx, { user, request, method, more }, { at: now, emit })
    if (recoveryCodesLeft !== undefined) emit({ type: 'user.changed', ids: [user.id] })
    if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
    return sso === undefined && fresh.must_change_password_since !== null
  })
  cookies.set(reply, cookie)
  cookies.keepXsrf(request, reply)
  rememberDevice(ctx, cookies, { request, reply, username: user.username })
  return {
    totp: hasCode,
    token,
    username: user.username,
    name: displayName(user),
    expiry,
    ...(recoveryCodesLeft === undefined ? {} : { recovery_codes_left: recoveryCodesLeft }),
    ...(mustChangePassword ? { must_change_password: true } : {}),
  }
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

/** Reads the user again: password, rights or second factor may have changed during the verification. */
async function requireUnchanged(tx: Db, user: SigningUser, hasCode: boolean): Promise<SigningUser> {
  const fresh = await findWholeUser(tx, user.id)
  const isSame =
    fresh?.password_hash === user.password_hash && fresh.is_active === 1 && fresh.block_dashboard_login === 0
  if (isSame && (hasCode || (fresh.totp_confirmed === 0 && (await countPasskeys(tx, user.id)) === 0)))
    return fresh
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
