import type { Passkey } from '@muster/contract/api/passkeys'
import type { Selectable } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import type { PasskeysTable } from '../../../platform/database/tables/users.ts'

export type PasskeyRow = Selectable<PasskeysTable>

/** The passkeys of a user, the oldest first. */
export async function findPasskeys(db: Db, userId: number): Promise<PasskeyRow[]> {
  return db.selectFrom('passkeys').where('user_id', '=', userId).selectAll().orderBy('id').execute()
}

export async function findPasskey(db: Db, userId: number, id: number): Promise<PasskeyRow | undefined> {
  return db
    .selectFrom('passkeys')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .selectAll()
    .executeTakeFirst()
}

export async function findCredential(db: Db, credentialId: string): Promise<PasskeyRow | undefined> {
  return db.selectFrom('passkeys').where('credential_id', '=', credentialId).selectAll().executeTakeFirst()
}

export async function countPasskeys(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('passkeys')
    .where('user_id', '=', userId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Stores the counter of a signature. Returns false if it went back or stood still, which a copy of the passkey causes.
 * Authenticators without a counter always say 0.
 */
export async function takeCounter(
  db: Db,
  id: number,
  { counter, isBackedUp, at }: { counter: number; isBackedUp: boolean; at: Date },
): Promise<boolean> {
  const result = await db
    .updateTable('passkeys')
    .set({ counter, backed_up: isBackedUp ? 1 : 0, last_used_at: at.toISOString() })
    .where('id', '=', id)
    .where((eb) => (counter === 0 ? eb('counter', '=', 0) : eb('counter', '<', counter)))
    .executeTakeFirst()
  return Number(result.numUpdatedRows) === 1
}

export async function deletePasskeys(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('passkeys').where('user_id', '=', userId).execute()
}

export function viewPasskey(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    name: row.name,
    host: row.host,
    backed_up: row.backed_up === 1,
    created: row.created_at,
    last_used: row.last_used_at,
  }
}
