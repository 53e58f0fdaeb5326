import type { Kysely } from 'kysely'

export const name = '0037-joined-sessions'
export const changesData = false

/** A session may join another one, such as a colleague's terminal. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('remote_sessions').addColumn('joined_session', 'text').execute()
}
