import type { Kysely } from 'kysely'

export const name = '0056-output-of-a-day'
export const changesData = false

/** Output of runs that each machine stored on the last day with output. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('output_days')
    .addColumn('agent_id', 'text', (col) =>
      col.primaryKey().references('agents.agent_id').onDelete('cascade'),
    )
    .addColumn('day', 'text', (col) => col.notNull())
    .addColumn('bytes', 'bigint', (col) => col.notNull())
    .execute()
}
