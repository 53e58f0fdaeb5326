import { type Kysely, sql } from 'kysely'
import { type Engine, idColumn, instantColumn, jsonColumn } from '../columns.ts'

export const name = '0004-maintenance'
export const changesData = false

export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // Not a foreign key: after a window is deleted, the machines that it switched on must still be found.
  await db.schema.alterTable('agents').addColumn('maintenance_by', 'integer').execute()
  await db.schema.alterTable('agents').addColumn('maintenance_off_at', 'text').execute()
  await db.schema
    .createIndex('agents_maintenance_by')
    .on('agents')
    .column('maintenance_by')
    .where(sql.ref('maintenance_by'), 'is not', null)
    .execute()
  await db.schema
    .createTable('maintenance_windows')
    .addColumn('id', ...idColumn(engine))
    .addColumn('reason', 'text', (col) => col.notNull())
    .addColumn('schedule', ...jsonColumn('{}'))
    .addColumn('ended_at', 'text')
    .addColumn('created_by', 'text', (col) => col.notNull())
    .addColumn('created_at', ...instantColumn())
    .addColumn('modified', ...instantColumn())
    .execute()
  await db.schema
    .createTable('maintenance_targets')
    .addColumn('id', ...idColumn(engine))
    .addColumn('window_id', 'integer', (col) =>
      col.notNull().references('maintenance_windows.id').onDelete('cascade'),
    )
    .addColumn('client_id', 'integer', (col) => col.references('clients.id').onDelete('cascade'))
    .addColumn('site_id', 'integer', (col) => col.references('sites.id').onDelete('cascade'))
    .addColumn('agent_id', 'text', (col) => col.references('agents.agent_id').onDelete('cascade'))
    .execute()
  for (const column of ['window_id', 'client_id', 'site_id', 'agent_id']) {
    await db.schema
      .createIndex(`maintenance_targets_${column}`)
      .on('maintenance_targets')
      .column(column)
      .execute()
  }
}
