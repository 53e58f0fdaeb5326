import type { Selectable } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import type { UsersTable } from '../../../platform/database/tables/users.ts'

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
