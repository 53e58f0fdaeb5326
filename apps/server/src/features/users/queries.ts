import type { Preferences } from '@muster/contract/api/users'
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

async function storedPreferences(db: Db, userId: number): Promise<string> {
  const row = await db.selectFrom('users').where('id', '=', userId).select('preferences').executeTakeFirst()
  return row?.preferences ?? '{}'
}
