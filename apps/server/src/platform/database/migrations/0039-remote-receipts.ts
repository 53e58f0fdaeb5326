import type { Kysely } from 'kysely'

export const name = '0039-remote-receipts'
export const changesData = false

/** Changes on machines while sessions ran. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('remote_receipts')
    .addColumn('session_id', 'text', (col) =>
      col.primaryKey().references('remote_sessions.id').onDelete('cascade'),
    )
    .addColumn('stored_at', 'text', (col) => col.notNull())
    .addColumn('changes', 'integer', (col) => col.notNull())
    .addColumn('receipt', 'text', (col) => col.notNull())
    .execute()
  await db.schema.createIndex('remote_receipts_stored').on('remote_receipts').columns(['stored_at']).execute()
}
