import type { Kysely } from 'kysely'
import { type Engine, idColumn, instantColumn } from '../columns.ts'

export const name = '0036-pending-actions'
export const changesData = false

/** Actions that machines run later. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('pending_actions')
    .addColumn('id', ...idColumn(engine))
    .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
    .addColumn('action_type', 'text', (col) => col.notNull())
    .addColumn('status', 'text', (col) => col.notNull())
    .addColumn('due', ...instantColumn())
    .addColumn('username', 'text', (col) => col.notNull())
    .addColumn('entry_time', ...instantColumn())
    .addColumn('begun_at', 'text')
    .addColumn('finished_at', 'text')
    .addColumn('output', 'text', (col) => col.notNull())
    .execute()
  await db.schema
    .createIndex('pending_actions_agent')
    .on('pending_actions')
    .columns(['agent_id', 'status'])
    .execute()
}
