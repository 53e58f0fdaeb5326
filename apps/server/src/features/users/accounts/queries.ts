import type { Selectable } from 'kysely'
import type { User } from '@muster/contract/api/accounts'
import type { Db } from '../../../platform/database/database.ts'
import type { UsersTable } from '../../../platform/database/tables/users.ts'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import type { Comparison } from './write-user.ts'

export type UserRow = Omit<Selectable<UsersTable>, 'password_hash' | 'totp_key' | 'preferences'> & {
  role_name: string | null
  role_is_superuser: 0 | 1 | null
}

/** All users by name, or one. */
export async function findUsers(db: Db, id?: number): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .leftJoin('roles', 'roles.id', 'users.role_id')
    .select(['users.id', 'username', 'first_name', 'last_name', 'email', 'role_id', 'is_active'])
    .select(['users.is_superuser', 'totp_confirmed', 'totp_last_step', 'last_login', 'last_login_source'])
    .select(['created_at', 'roles.name as role_name', 'roles.is_superuser as role_is_superuser'])
    .$if(id !== undefined, (query) => query.where('users.id', '=', Number(id)))
    .orderBy('username')
    .execute()
}

/**
 * Call in a transaction before any read: serializes changes of rights, and keeps an assigned role unchanged until the
 * end.
 */
export async function holdRights(
  db: Db,
  { user, role }: { user?: number; role?: number | null },
): Promise<void> {
  await db
    .updateTable('roles')
    .set((eb) => ({ name: eb.ref('name') }))
    .where((eb) => eb.or([eb('is_superuser', '=', 1), eb('id', '=', role ?? 0)]))
    .execute()
  await db
    .updateTable('users')
    .set((eb) => ({ username: eb.ref('username') }))
    .where((eb) => eb.or([eb('is_superuser', '=', 1), eb('id', '=', user ?? 0)]))
    .execute()
}

export function viewUser(row: UserRow, { mayChange }: Pick<Comparison, 'mayChange'>): User {
  return {
    ...viewUserContent(row),
    id: row.id,
    username: row.username,
    role_name: row.role_name,
    has_all_rights: hasAllRights(row),
    totp: row.totp_confirmed === 1,
    last_login: row.last_login,
    // Like their sessions: addresses of superusers are visible only to superusers.
    last_login_ip: hasAllRights(row) && !mayChange(row) ? null : row.last_login_source,
    may_change: mayChange(row),
    modified: modifiedOf(row),
  }
}

/** The editable fields of a user. */
export function viewUserContent(row: UserRow) {
  return {
    first_name: row.first_name,
    last_name: row.last_name,
    email: row.email,
    is_active: row.is_active === 1,
    is_superuser: row.is_superuser === 1,
    role: row.role_id,
  }
}

function hasAllRights(row: UserRow): boolean {
  return row.is_superuser === 1 || row.role_is_superuser === 1
}

export function modifiedOf(row: UserRow): string {
  return digestOf(JSON.stringify(viewUserContent(row))).slice(0, 32)
}

/** For the audit log, with the name of the role. */
export function auditValues(row: UserRow) {
  return { username: row.username, ...viewUserContent(row), role: row.role_name }
}
