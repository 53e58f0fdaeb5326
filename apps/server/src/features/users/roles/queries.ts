import type { Selectable } from 'kysely'
import type { Role } from '@muster/contract/api/roles'
import { BUILT_IN_ROLES } from '@muster/contract/built-in-roles'
import { JobActionType } from '@muster/contract/fleet-jobs/job-draft'
import { type Permission, PERMISSIONS } from '@muster/contract/permissions'
import type { Db } from '../../../platform/database/database.ts'
import { chunk } from '../../../platform/database/sql.ts'
import type { RolesTable } from '../../../platform/database/tables/users.ts'
import { digestOf } from '../../../platform/secrets/secrets.ts'

export type RoleRow = Selectable<RolesTable> & {
  users: string[]
  clientIds: number[]
  siteIds: number[]
}

/** All roles by name, or one. */
export async function findRoles(db: Db, id?: number): Promise<RoleRow[]> {
  const isOne = id !== undefined
  const roles = await db
    .selectFrom('roles')
    .selectAll()
    .$if(isOne, (query) => query.where('id', '=', Number(id)))
    .orderBy('name')
    .orderBy('id')
    .execute()
  const users = await db
    .selectFrom('users')
    .select(['role_id', 'username'])
    .where('role_id', 'is not', null)
    .$if(isOne, (query) => query.where('role_id', '=', Number(id)))
    .orderBy('username')
    .execute()
  const clients = await db
    .selectFrom('role_clients')
    .selectAll()
    .$if(isOne, (query) => query.where('role_id', '=', Number(id)))
    .orderBy('client_id')
    .execute()
  const sites = await db
    .selectFrom('role_sites')
    .selectAll()
    .$if(isOne, (query) => query.where('role_id', '=', Number(id)))
    .orderBy('site_id')
    .execute()
  return roles.map((role) => ({
    ...role,
    users: users.filter(({ role_id }) => role_id === role.id).map(({ username }) => username),
    clientIds: clients.filter(({ role_id }) => role_id === role.id).map(({ client_id }) => client_id),
    siteIds: sites.filter(({ role_id }) => role_id === role.id).map(({ site_id }) => site_id),
  }))
}

/** Number of existing ones among these clients or sites. */
export async function countKnown(
  db: Db,
  table: 'clients' | 'sites',
  ids: readonly number[],
): Promise<number> {
  let count = 0
  for (const slice of chunk(ids)) {
    const rows = await db.selectFrom(table).select('id').where('id', 'in', slice).execute()
    count += rows.length
  }
  return count
}

/** Replaces the clients and sites of a role. */
export async function replaceScope(
  db: Db,
  role_id: number,
  { clientIds, siteIds }: { clientIds: readonly number[]; siteIds: readonly number[] },
): Promise<void> {
  await db.deleteFrom('role_clients').where('role_id', '=', role_id).execute()
  await db.deleteFrom('role_sites').where('role_id', '=', role_id).execute()
  for (const slice of chunk(clientIds))
    await db
      .insertInto('role_clients')
      .values(slice.map((client_id) => ({ role_id, client_id })))
      .execute()
  for (const slice of chunk(siteIds))
    await db
      .insertInto('role_sites')
      .values(slice.map((site_id) => ({ role_id, site_id })))
      .execute()
}

/** Whether any superuser is left. */
export async function hasSuperuser(db: Db): Promise<boolean> {
  const found = await db
    .selectFrom('users')
    .leftJoin('roles', 'roles.id', 'users.role_id')
    .select('users.id')
    .where('users.is_active', '=', 1)
    .where('users.block_dashboard_login', '=', 0)
    .where((eb) => eb.or([eb('users.is_superuser', '=', 1), eb('roles.is_superuser', '=', 1)]))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export function viewRole(row: RoleRow): Role {
  return {
    ...viewRoleContent(row),
    id: row.id,
    user_count: row.users.length,
    built_in: BUILT_IN_ROLES.find((role) => role === row.built_in) ?? null,
    users: row.users,
    modified: modifiedOf(row),
  }
}

/** The editable fields of a role. */
export function viewRoleContent(row: RoleRow) {
  // Written as a JSON list of names. Unknown names are ignored.
  const names = new Set(JSON.parse(row.permissions) as string[])
  const flags = Object.fromEntries(PERMISSIONS.map((name) => [name, names.has(name)])) as Record<
    Permission,
    boolean
  >
  return {
    name: row.name,
    is_superuser: row.is_superuser === 1,
    totp_required: row.totp_required === 1,
    require_2fa_for_remote: row.require_2fa_for_remote === 1,
    approve_jobs_over: row.approve_jobs_over,
    approve_job_actions: readActions(row.approve_job_actions),
    can_view_clients: row.clientIds,
    can_view_sites: row.siteIds,
    ...flags,
  }
}

/** Names that this version does not know are ignored. */
export function readActions(list: string): JobActionType[] {
  const names: unknown = JSON.parse(list)
  return JobActionType.options.filter((type) => Array.isArray(names) && names.includes(type))
}

export function modifiedOf(row: RoleRow): string {
  return digestOf(JSON.stringify(viewRoleContent(row))).slice(0, 32)
}
