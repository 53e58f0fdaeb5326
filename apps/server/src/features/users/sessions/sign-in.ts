import type { SignIn } from '@muster/contract/api/sessions'
import { AppError } from '@muster/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../context.ts'
import { verifyPassword } from '../../../platform/secrets/passwords.ts'
import { audit } from '../../audit/write-audit.ts'
import { readCoreSettings } from '../../settings/queries.ts'
import { findDevice } from './devices.ts'
import { openSession, type SigningUser } from './open-session.ts'
import { findUserByName, isSuperuser, takeTotpStep } from './queries.ts'
import type { SessionCookies } from './session-cookies.ts'
import { countFailure, keyList, refuseWhileBlocked, type ThrottleKeys, throttleKeys } from './throttle.ts'
import { findTotpStep, newTotpKey } from './totp.ts'
import { Turns } from './turns.ts'

export interface SignInDesk {
  ctx: Context
  cookies: SessionCookies
  turns: Turns
  /** Stands in for the key of a user who has none, so that all codes take as long to check. */
  nobodysKey: string
}

export function createSignInDesk(ctx: Context, cookies: SessionCookies): SignInDesk {
  return { ctx, cookies, turns: new Turns(), nobodysKey: newTotpKey() }
}

export interface Attempt {
  username: string
  password: string
  request: FastifyRequest
  reply: FastifyReply
}

/** The password alone: a session for a user without TOTP, and for others the word that a code is needed. */
export function signInByPassword(desk: SignInDesk, attempt: Attempt): Promise<SignIn> {
  return attemptSignIn(desk, attempt, async (keys, user) => {
    // Failures stay counted: knowing the password must not give new tries at the code.
    if (user.totp_confirmed === 1) return { totp: true }
    return openSession(desk, { ...attempt, user, keys, hasCode: false })
  })
}

/** Password and code. The first code that is accepted confirms a key that was waiting for it. */
export function signInByCode(desk: SignInDesk, attempt: Attempt & { code: string }): Promise<SignIn> {
  const { ctx } = desk
  return attemptSignIn(desk, attempt, async (keys, user) => {
    const step = findStep(desk, user, attempt.code)
    if (step === undefined || !(await takeTotpStep(ctx.db, user.id, step))) return undefined
    return openSession(desk, { ...attempt, user, keys, hasCode: true })
  })
}

/**
 * Everything that both ways have in common, in this order: one attempt at a time per account and source; no
 * hashing while blocked; and the same answer after the same work, whatever was wrong.
 */
async function attemptSignIn(
  desk: SignInDesk,
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

function findStep(desk: SignInDesk, user: SigningUser | undefined, code: string): number | undefined {
  const key = user?.totp_key == null ? undefined : desk.ctx.secrets.decrypt(user.totp_key)
  const step = findTotpStep(key ?? desk.nobodysKey, code, desk.ctx.now())
  return key === undefined ? undefined : step
}

/** Superusers get in by password whatever the settings say. */
async function refuseBlockedLogon(ctx: Context, user: SigningUser, source: string): Promise<void> {
  const { block_local_user_logon: isBlocked } = await readCoreSettings(ctx.db)
  if (!isBlocked || (await isSuperuser(ctx.db, user.id))) return
  await auditFailure(ctx, source, user)
  throw new AppError('not_allowed', 'Only superusers can sign in with a password.')
}

/** A name that nobody has is not written down: it may be a password in the wrong field. */
async function auditFailure(ctx: Context, source: string, user: SigningUser | undefined): Promise<void> {
  await audit(ctx.db, {
    caller: { username: user?.username ?? '', source },
    action: 'failed_login',
    object_type: 'user',
    message:
      user === undefined ? 'Failed to sign in: no such user' : `Failed to sign in as "${user.username}"`,
    at: ctx.now(),
    emit: ctx.emit,
  })
}
