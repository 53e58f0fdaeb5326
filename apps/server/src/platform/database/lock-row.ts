import { sql } from 'kysely'
import type { Database, Db } from './database.ts'

/**
 * Keeps a row from others until the transaction ends, so that what is read after this stays true until it is
 * written. On PostgreSQL two people could otherwise both find the version that they had loaded; SQLite knows no
 * `for update` and needs none.
 */
export async function lockRow<Table extends keyof Database>(
  tx: Db,
  table: Table,
  key: Extract<keyof Database[Table], string>,
  value: number | string,
): Promise<void> {
  const column = sql.ref(key)
  await sql`update ${sql.table(table)} set ${column} = ${column} where ${column} = ${value}`.execute(tx)
}
