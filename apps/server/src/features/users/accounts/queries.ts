import type { Selectable } from 'kysely'
import type { User } from '@muster/contract/api/accounts'
import type { Db } from '../../../platform/database/database.ts'
import type { UsersTable } from '../../../platform/database/tables/users.ts'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import type { Comparison } from './write-user.ts'

export type UserRow = Omit<Selectable<UsersTable>, 'password_hash' | 'totp_key' | 'preferences'> & {
  role_name: string | null
  role_is_superuser: 0 | 1 | null
  /** Names of the providers. */
  sso: string[]
  passkeys: number
}

/** All users by name, or one. */
export async function findUsers(db: Db, id?: number): Promise<UserRow[]> {
  const users = await db
    .selectFrom('users')
    .leftJoin('roles', 'roles.id', 'users.role_id')
    .select(['users.id', 'username', 'first_name', 'last_name', 'email', 'role_id', 'is_active'])
    .select(['block_dashboard_login', 'must_change_password_since'])
    .select(['users.is_superuser', 'totp_confirmed', 'totp_last_step', 'last_login', 'last_login_source'])
    .select(['created_at', 'roles.name as role_name', 'roles.is_superuser as role_is_superuser'])
    .$if(id !== undefined, (query) => query.where('users.id', '=', Number(id)))
    .orderBy('username')
    .execute()
  const accounts = await db
    .selectFrom('sso_accounts')
    .innerJoin('sso_providers', 'sso_providers.id', 'sso_accounts.provider_id')
    .select(['user_id', 'sso_providers.name'])
    .distinct()
    .$if(id !== undefined, (query) => query.where('user_id', '=', Number(id)))
    .orderBy('sso_providers.name')
    .execute()
  const passkeys = await db
    .selectFrom('passkeys')
    .select((eb) => ['user_id', eb.fn.countAll<number>().as('count')])
    .$if(id !== undefined, (query) => query.where('user_id', '=', Number(id)))
    .groupBy('user_id')
    .execute()
  const byUser = Map.groupBy(accounts, ({ user_id }) => user_id)
  const counts = new Map(passkeys.map(({ user_id, count }) => [user_id, Number(count)]))
  return users.map((user) => ({
    ...user,
    sso: byUser.get(user.id)?.map(({ name }) => name) ?? [],
    passkeys: counts.get(user.id) ?? 0,
  }))
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
    sso: row.sso,
    totp: row.totp_confirmed === 1,
    passkeys: row.passkeys,
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
    block_dashboard_login: row.block_dashboard_login === 1,
    must_change_password: row.must_change_password_since !== null,
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
