import type { Kysely } from 'kysely'

export const name = '0043-web-terminals'
export const changesData = false

/** Records who used a shell of the server, and when. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('web_terminals')
    .addColumn('id', 'text', (col) => col.primaryKey())
    .addColumn('host', 'text', (col) => col.notNull())
    .addColumn('process_id', 'text', (col) => col.notNull())
    .addColumn('username', 'text', (col) => col.notNull())
    .addColumn('ip_address', 'text', (col) => col.notNull())
    .addColumn('started_at', 'text', (col) => col.notNull())
    .addColumn('ended_at', 'text')
    .addColumn('exit_code', 'integer')
    .addColumn('reason', 'text')
    .addColumn('recorded', 'integer', (col) => col.notNull())
    .addColumn('recording_bytes', 'bigint', (col) => col.notNull())
    .addColumn('recording_problem', 'text')
    .execute()
  await db.schema.createIndex('web_terminals_started').on('web_terminals').columns(['started_at']).execute()
}
