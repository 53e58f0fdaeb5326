import { type Kysely, sql } from 'kysely'
import { type Engine, idColumn } from '../columns.ts'

export const name = '0010-machine-series'
export const changesData = true

/** A series may belong to a machine instead of a check. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'postgres') {
    await sql`alter table series alter column check_id drop not null`.execute(db)
    await sql`alter table series add constraint series_agent foreign key (agent_id)
      references agents (agent_id) on delete cascade`.execute(db)
  } else await replaceTable(db)
  await sql`create unique index series_machine_name on series (agent_id, name) where check_id is null`.execute(
    db,
  )
}

async function replaceTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('series_next')
    .addColumn('id', ...idColumn('sqlite'))
    .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
    .addColumn('check_id', 'integer', (col) => col.references('checks.id').onDelete('cascade'))
    .addColumn('name', 'text', (col) => col.notNull())
    .addColumn('unit', 'text', (col) => col.notNull())
    .addUniqueConstraint('series_check_name', ['check_id', 'name'])
    .execute()
  await sql`insert into series_next (id, agent_id, check_id, name, unit)
    select id, agent_id, check_id, name, unit from series where agent_id in (select agent_id from agents)`.execute(
    db,
  )
  await db.schema.dropTable('series').execute()
  await sql`alter table series_next rename to series`.execute(db)
}
