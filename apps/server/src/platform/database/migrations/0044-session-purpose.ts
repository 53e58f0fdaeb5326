import type { Kysely } from 'kysely'

export const name = '0044-session-purpose'
export const changesData = false

/** The reason that the user gave for opening a session. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('remote_sessions').addColumn('purpose', 'text').execute()
}
