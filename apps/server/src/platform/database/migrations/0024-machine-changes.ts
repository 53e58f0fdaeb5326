import type { Kysely } from 'kysely'
import { type Engine, idColumn } from '../columns.ts'

export const name = '0024-machine-changes'
export const changesData = false

/** Changed facts of a machine: a new system version, more memory. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('machine_changes')
    .addColumn('id', ...idColumn(engine))
    .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
    .addColumn('at', 'bigint', (col) => col.notNull())
    .addColumn('text', 'text', (col) => col.notNull())
    .execute()
  await db.schema
    .createIndex('machine_changes_agent')
    .on('machine_changes')
    .columns(['agent_id', 'at'])
    .execute()
}
