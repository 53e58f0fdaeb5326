import { PERMISSIONS, type Permission } from '@muster/contract/permissions'
import type { Context } from '../../../context.ts'
import type { Caller, Scope } from '../../../platform/http/caller.ts'
import { findSessionUser, listRoleScope, type SessionUser } from './queries.ts'
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
  const isSuperuser = found.is_superuser === 1 || found.role_is_superuser === 1
  return {
    userId: found.user_id,
    username: found.username,
    name: displayName(found),
    isSuperuser,
    permissions: permissionsOf(found),
    scope: isSuperuser ? { all: true } : await scopeOf(ctx, found.role_id),
    session: {
      digest: found.digest,
      expiresAt: found.expires_at,
      inGrace: age === 'grace',
      totpPending: found.totp_confirmed === 0 && isTotpDemanded(ctx, found.totp_required),
      code: {
        isAsked: found.require_2fa_for_remote === 1,
        hasTotp: found.totp_confirmed === 1,
        at: found.code_at,
      },
    },
    source,
  }
}

/** On a loopback address two-factor sign-in is optional, unless the role requires it. */
export function isTotpDemanded({ config }: Context, roleDemands: 0 | 1 | null): boolean {
  return !config.isLoopback || roleDemands === 1
}

export function displayName(user: { first_name: string; last_name: string }): string | null {
  const name = `${user.first_name} ${user.last_name}`.trim()
  return name === '' ? null : name
}

function permissionsOf(found: SessionUser): ReadonlySet<Permission> {
  // Written as a JSON list of names. Unknown names are ignored.
  const names = new Set(found.permissions === null ? [] : (JSON.parse(found.permissions) as string[]))
  return new Set(PERMISSIONS.filter((permission) => names.has(permission)))
}

async function scopeOf(ctx: Context, roleId: number | null): Promise<Scope> {
  if (roleId === null) return { all: false, clientIds: [], siteIds: [] }
  const scope = await listRoleScope(ctx.db, roleId)
  if (scope.clientIds.length === 0 && scope.siteIds.length === 0) return { all: true }
  return { all: false, ...scope }
}
