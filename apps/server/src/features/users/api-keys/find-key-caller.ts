import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { intersectRights, readRights } from '../rights.ts'
import { displayName } from '../sessions/queries.ts'
import { listKeyClients } from './queries.ts'

/** A key with its owner and both roles. By digest: also a replaced key, for as long as it works. */
export async function findKeyUser(db: Db, by: { digest: string; now: Date } | { id: number }) {
  return db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .leftJoin('roles', 'roles.id', 'users.role_id')
    .leftJoin('roles as key_roles', 'key_roles.id', 'api_keys.role_id')
    .where((eb) =>
      'id' in by
        ? eb('api_keys.id', '=', by.id)
        : eb.or([
            eb('api_keys.digest', '=', by.digest),
            eb.and([
              eb('api_keys.old_digest', '=', by.digest),
              eb('api_keys.old_until', '>', by.now.toISOString()),
            ]),
          ]),
    )
    .select(['api_keys.id', 'api_keys.name', 'api_keys.user_id', 'api_keys.role_id as key_role_id'])
    .select(['is_limited', 'allowed_addresses', 'expires_at', 'last_used_at'])
    .select(['username', 'first_name', 'last_name', 'is_active', 'users.is_superuser', 'users.role_id'])
    .select(['roles.is_superuser as role_is_superuser', 'roles.permissions', 'roles.require_2fa_for_remote'])
    .select(['key_roles.is_superuser as key_role_is_superuser', 'key_roles.permissions as key_permissions'])
    .select('key_roles.require_2fa_for_remote as key_requires_2fa')
    .executeTakeFirst()
}
export type KeyUser = NonNullable<Awaited<ReturnType<typeof findKeyUser>>>

/** Returns why a key is refused whatever it is used for, or undefined. */
export function refusalOfKey(key: KeyUser, now: Date): string | undefined {
  if (key.is_active === 0) return 'The owner of this API key is blocked.'
  if (key.expires_at !== null && key.expires_at <= now.toISOString()) return 'This API key has expired.'
  return undefined
}

/** The owner with the rights that owner, role and clients of the key have in common. */
export async function keyCallerOf(ctx: Context, key: KeyUser, source: string): Promise<Caller> {
  let rights = await readRights(ctx.db, key)
  if (key.key_role_id !== null) {
    const { key_role_is_superuser, key_role_id, key_permissions } = key
    const ofRole = await readRights(ctx.db, {
      is_superuser: 0,
      role_is_superuser: key_role_is_superuser,
      role_id: key_role_id,
      permissions: key_permissions,
    })
    rights = await intersectRights(ctx.db, rights, ofRole)
  }
  if (key.is_limited === 1) {
    const clientIds = (await listKeyClients(ctx.db, [key.id])).map(({ client_id }) => client_id)
    const scope = { all: false as const, clientIds, siteIds: [] }
    rights = await intersectRights(ctx.db, rights, { isSuperuser: true, permissions: new Set(), scope })
  }
  return {
    userId: key.user_id,
    username: key.username,
    name: displayName(key),
    ...rights,
    session: undefined,
    apiKey: {
      id: key.id,
      name: key.name,
      isNarrowed: key.key_role_id !== null || key.is_limited === 1,
      roleId: key.key_role_id,
      needsCode: key.require_2fa_for_remote === 1 || key.key_requires_2fa === 1,
    },
    source,
  }
}
