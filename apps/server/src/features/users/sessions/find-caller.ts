import type { Context } from '../../../context.ts'
import { type Caller, type CallerSession, PROOF_MINUTES } from '../../../platform/http/caller.ts'
import { findKeyUser, keyCallerOf, refusalOfKey } from '../api-keys/find-key-caller.ts'
import { readRights } from '../rights.ts'
import { isWithin } from './prove-owner.ts'
import { displayName, findSessionUser, type SessionUser } from './queries.ts'
import { ageOfSession } from './session-cookies.ts'

/**
 * Returns the caller of a session with the current rights of the role, or undefined if the session has ended, is past
 * its grace period, or its user is inactive. For holders of a session digest without a request: sockets.
 */
export async function findCaller(ctx: Context, digest: string, source: string): Promise<Caller | undefined> {
  const found = await findSessionUser(ctx.db, digest)
  return found === undefined ? undefined : callerOf(ctx, found, source)
}

export async function callerOf(
  ctx: Context,
  found: SessionUser,
  source: string,
): Promise<Caller | undefined> {
  const age = ageOfSession(found.expires_at, ctx.now())
  if (age === 'over') return undefined
  return {
    userId: found.user_id,
    username: found.username,
    name: displayName(found),
    ...(await readRights(ctx.db, found)),
    session: {
      digest: found.digest,
      expiresAt: found.expires_at,
      inGrace: age === 'grace',
      pending: pendingOf(ctx, found),
      isProved: isWithin(PROOF_MINUTES, found.proved_at, ctx.now()),
      code: {
        isAsked: found.require_2fa_for_remote === 1,
        hasTotp: found.totp_confirmed === 1,
        hasPasskey: Boolean(found.has_passkey),
        isByProvider: found.sso_account_id !== null,
        at: found.code_at,
      },
    },
    source,
  }
}

function pendingOf(ctx: Context, found: SessionUser): CallerSession['pending'] {
  if (found.sso_account_id !== null) return undefined
  const since = found.must_change_password_since
  if (since !== null && found.created_at >= since) return 'password'
  const hasSecondFactor = found.totp_confirmed === 1 || Boolean(found.has_passkey)
  return !hasSecondFactor && isTotpDemanded(ctx, found.totp_required) ? 'totp' : undefined
}

/**
 * Returns a user with the current rights of the role, and of the API key if it was used, without a session: for work
 * that they started and that goes on without them. Undefined if the user is inactive, or user or key are gone.
 */
export async function findUserCaller(
  ctx: Context,
  work: { user_id: number; api_key_id?: number | null; source?: string },
): Promise<Caller | undefined> {
  const { user_id: userId, api_key_id: keyId = null, source = '' } = work
  if (keyId !== null) {
    const key = await findKeyUser(ctx.db, { id: keyId })
    if (key === undefined || refusalOfKey(key, ctx.now()) !== undefined) return undefined
    return keyCallerOf(ctx, key, source)
  }
  const found = await ctx.db
    .selectFrom('users')
    .leftJoin('roles', 'roles.id', 'users.role_id')
    .where('users.id', '=', userId)
    .where('users.is_active', '=', 1)
    .select(['users.username', 'users.first_name', 'users.last_name', 'users.is_superuser', 'users.role_id'])
    .select(['roles.is_superuser as role_is_superuser', 'roles.permissions'])
    .executeTakeFirst()
  if (found === undefined) return undefined
  return {
    userId,
    username: found.username,
    name: displayName(found),
    ...(await readRights(ctx.db, found)),
    session: undefined,
    source,
  }
}

/** On a loopback address two-factor sign-in is optional, unless the role requires it. */
export function isTotpDemanded({ config }: Context, roleDemands: 0 | 1 | null): boolean {
  return !config.isLoopback || roleDemands === 1
}
