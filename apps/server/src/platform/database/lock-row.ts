import { sql } from 'kysely'
import type { Database, Db } from './database.ts'

/**
 * Locks a row until the transaction ends, so that values read after this call stay true until they are written. On
 * PostgreSQL two users could otherwise both pass the version check. SQLite has no `for update` and needs none.
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
