import { type Kysely, sql } from 'kysely'
import { type Engine, idColumn } from '../columns.ts'

export const name = '0017-machine-periods'
export const changesData = false

/** Periods of a machine that its graphs show: maintenance and dropped check results. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('maintenance_periods')
    .addColumn('id', ...idColumn(engine))
    .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
    .addColumn('started_at', 'bigint', (col) => col.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('reason', 'text', (col) => col.notNull())
    .execute()
  await db.schema
    .createIndex('maintenance_periods_agent')
    .on('maintenance_periods')
    .columns(['agent_id', 'started_at'])
    .execute()
  await db.schema
    .createIndex('maintenance_periods_open')
    .unique()
    .on('maintenance_periods')
    .column('agent_id')
    .where(sql<boolean>`ended_at is null`)
    .execute()
  // The start of open maintenance is unknown.
  const now = sql.lit(Math.floor(Date.now() / 1000))
  await sql`insert into maintenance_periods (agent_id, started_at, reason)
    select agent_id, ${now}, '' from agents where maintenance_mode = 1`.execute(db)
  await db.schema
    .createTable('dropped_results')
    .addColumn('id', ...idColumn(engine))
    .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
    .addColumn('from_at', 'bigint', (col) => col.notNull())
    .addColumn('to_at', 'bigint', (col) => col.notNull())
    .addColumn('count', 'integer', (col) => col.notNull())
    .addUniqueConstraint('dropped_results_once', ['agent_id', 'from_at', 'to_at', 'count'])
    .execute()
}
