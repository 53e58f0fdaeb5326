import { PERMISSIONS, type Permission } from '@muster/contract/permissions'
import type { Db } from '../../platform/database/database.ts'
import type { Caller, Scope } from '../../platform/http/caller.ts'
import { listRoleScope } from './sessions/queries.ts'

export type Rights = Pick<Caller, 'isSuperuser' | 'permissions' | 'scope'>

/** Columns of a user with the role. */
interface RightsRow {
  is_superuser: 0 | 1
  role_is_superuser: 0 | 1 | null
  role_id: number | null
  permissions: string | null
}

/** The current rights of a user. */
export async function readRights(db: Db, found: RightsRow): Promise<Rights> {
  const isSuperuser = found.is_superuser === 1 || found.role_is_superuser === 1
  return {
    isSuperuser,
    permissions: permissionsOf(found),
    scope: isSuperuser ? { all: true } : await scopeOf(db, found.role_id),
  }
}

function permissionsOf(found: Pick<RightsRow, 'permissions'>): ReadonlySet<Permission> {
  // Written as a JSON list of names. Unknown names are ignored.
  const names = new Set(found.permissions === null ? [] : (JSON.parse(found.permissions) as string[]))
  return new Set(PERMISSIONS.filter((permission) => names.has(permission)))
}

async function scopeOf(db: Db, roleId: number | null): Promise<Scope> {
  if (roleId === null) return { all: false, clientIds: [], siteIds: [] }
  const scope = await listRoleScope(db, roleId)
  if (scope.clientIds.length === 0 && scope.siteIds.length === 0) return { all: true }
  return { all: false, ...scope }
}

/** The rights that both have. Nobody with a limited scope is a superuser. */
export async function intersectRights(db: Db, a: Rights, b: Rights): Promise<Rights> {
  const scope = await intersectScopes(db, a.scope, b.scope)
  const isInBoth = (permission: Permission) =>
    [a, b].every((one) => one.isSuperuser || one.permissions.has(permission))
  return {
    isSuperuser: a.isSuperuser && b.isSuperuser && scope.all,
    permissions: new Set(PERMISSIONS.filter(isInBoth)),
    scope,
  }
}

async function intersectScopes(db: Db, a: Scope, b: Scope): Promise<Scope> {
  if (a.all) return b
  if (b.all) return a
  const siteIds = [...new Set([...a.siteIds, ...b.siteIds])]
  const sites =
    siteIds.length === 0
      ? []
      : await db.selectFrom('sites').select(['id', 'client_id']).where('id', 'in', siteIds).execute()
  const sees = ({ clientIds, siteIds: ids }: typeof a, site: { id: number; client_id: number }) =>
    ids.includes(site.id) || clientIds.includes(site.client_id)
  return {
    all: false,
    clientIds: a.clientIds.filter((id) => b.clientIds.includes(id)),
    siteIds: sites.filter((site) => sees(a, site) && sees(b, site)).map(({ id }) => id),
  }
}
