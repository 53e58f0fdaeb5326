import type { Kysely } from 'kysely'

export const name = '0032-remote-recordings'
export const changesData = false

/** Recordings of sessions. Their content is stored in files. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('remote_recordings')
    .addColumn('id', 'text', (col) => col.primaryKey())
    .addColumn('session_id', 'text', (col) =>
      col.notNull().references('remote_sessions.id').onDelete('cascade'),
    )
    .addColumn('started_at', 'text', (col) => col.notNull())
    .addColumn('bytes', 'bigint', (col) => col.notNull())
    .addColumn('milliseconds', 'bigint')
    .addColumn('problem', 'text')
    .execute()
  await db.schema
    .createIndex('remote_recordings_session')
    .on('remote_recordings')
    .columns(['session_id'])
    .execute()
  await db.schema
    .createIndex('remote_recordings_started')
    .on('remote_recordings')
    .columns(['started_at'])
    .execute()
}
