import type { Kysely } from 'kysely'

export const name = '0028-remote-sessions'
export const changesData = false

/** Records who used a remote tool on which machine, and when. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('remote_sessions')
    .addColumn('id', 'text', (col) => col.primaryKey())
    .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
    .addColumn('tool', 'text', (col) => col.notNull())
    .addColumn('user_id', 'integer', (col) => col.notNull())
    .addColumn('username', 'text', (col) => col.notNull())
    .addColumn('ip_address', 'text', (col) => col.notNull())
    .addColumn('session_digest', 'text', (col) => col.notNull())
    .addColumn('started_at', 'text', (col) => col.notNull())
    .addColumn('ended_at', 'text')
    .addColumn('exit_code', 'integer')
    .addColumn('reason', 'text')
    .execute()
  await db.schema
    .createIndex('remote_sessions_agent')
    .on('remote_sessions')
    .columns(['agent_id', 'ended_at'])
    .execute()
}
