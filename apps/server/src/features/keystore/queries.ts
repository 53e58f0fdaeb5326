import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { KeyStoreTable } from '../../platform/database/tables/key-store.ts'

export type KeyRow = Selectable<KeyStoreTable>

export function findKeys(db: Db): Promise<KeyRow[]> {
  return db.selectFrom('key_store').selectAll().orderBy('name').execute()
}

export function findKey(db: Db, id: number): Promise<KeyRow | undefined> {
  return db.selectFrom('key_store').selectAll().where('id', '=', id).executeTakeFirst()
}

export function findKeysByName(db: Db, names: readonly string[]): Promise<KeyRow[]> {
  return db.selectFrom('key_store').selectAll().where('name', 'in', names).execute()
}

export function insertKey(tx: Db, row: Insertable<KeyStoreTable>): Promise<KeyRow> {
  return tx.insertInto('key_store').values(row).returningAll().executeTakeFirstOrThrow()
}

export function updateKey(tx: Db, id: number, change: Updateable<KeyStoreTable>): Promise<KeyRow> {
  return tx.updateTable('key_store').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function deleteKeyRow(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('key_store').where('id', '=', id).execute()
}
