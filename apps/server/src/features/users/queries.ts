import type { Preferences, Role } from '@muster/contract/api/users'
import type { Db } from '../../platform/database/database.ts'
import { addPreferences, readPreferences } from './preferences.ts'

export async function findPreferences(db: Db, userId: number): Promise<Preferences> {
  return readPreferences(await storedPreferences(db, userId))
}

/** In a transaction: two changes at once are both kept, as the first write makes the second wait. */
export async function savePreferenceChanges(db: Db, userId: number, changes: object): Promise<Preferences> {
  await db
    .updateTable('users')
    .set((eb) => ({ preferences: eb.ref('preferences') }))
    .where('id', '=', userId)
    .execute()
  const preferences = addPreferences(await storedPreferences(db, userId), changes)
  await db.updateTable('users').set({ preferences }).where('id', '=', userId).execute()
  return readPreferences(preferences)
}

export async function findTotpState(db: Db, userId: number) {
  return db
    .selectFrom('users')
    .leftJoin('roles', 'roles.id', 'users.role_id')
    .where('users.id', '=', userId)
    .select(['users.totp_confirmed', 'roles.totp_required'])
    .executeTakeFirstOrThrow()
}

/** All roles by name, or one. */
export async function findRoles(db: Db, id?: number): Promise<Role[]> {
  const rows = await db
    .selectFrom('roles')
    .select((eb) => [
      'id',
      'name',
      'is_superuser',
      'require_2fa_for_remote',
      eb
        .selectFrom('users')
        .whereRef('users.role_id', '=', 'roles.id')
        .select((users) => users.fn.countAll().as('count'))
        .as('user_count'),
    ])
    .$if(id !== undefined, (query) => query.where('id', '=', Number(id)))
    .orderBy('name')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    is_superuser: row.is_superuser === 1,
    user_count: Number(row.user_count),
    require_2fa_for_remote: row.require_2fa_for_remote === 1,
  }))
}

async function storedPreferences(db: Db, userId: number): Promise<string> {
  const row = await db.selectFrom('users').where('id', '=', userId).select('preferences').executeTakeFirst()
  return row?.preferences ?? '{}'
}
