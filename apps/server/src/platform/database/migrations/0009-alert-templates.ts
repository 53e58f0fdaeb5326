import type { Kysely } from 'kysely'
import { type Engine, flagColumn, idColumn, instantColumn, jsonColumn } from '../columns.ts'

export const name = '0009-alert-templates'
export const changesData = false

export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('alert_templates')
    .addColumn('id', ...idColumn(engine))
    .addColumn('name', 'text', (col) => col.notNull().unique())
    .addColumn('is_active', ...flagColumn(1))
    .addColumn('settings', ...jsonColumn('{}'))
    .addColumn('exclusions', ...jsonColumn('{}'))
    .addColumn('created_at', ...instantColumn())
    .addColumn('modified', ...instantColumn())
    .execute()
  // Not foreign keys: SQLite cannot add one to an existing table. Deleting a template clears these columns.
  for (const table of ['clients', 'sites', 'agents']) {
    await db.schema.alterTable(table).addColumn('alert_template_id', 'integer').execute()
  }
  await db.schema
    .alterTable('agents')
    .addColumn('overdue_by_template', ...flagColumn())
    .execute()
  await db.schema
    .alterTable('alerts')
    .addColumn('in_bell', ...flagColumn(1))
    .execute()
  await db.schema
    .createTable('alert_actions')
    .addColumn('id', ...idColumn(engine))
    .addColumn('alert_id', 'integer', (col) => col.notNull().references('alerts.id').onDelete('cascade'))
    .addColumn('kind', 'text', (col) => col.notNull())
    .addColumn('template_name', 'text', (col) => col.notNull())
    .addColumn('name', 'text', (col) => col.notNull())
    .addColumn('work', 'text', (col) => col.notNull())
    .addColumn('state', 'text', (col) => col.notNull())
    .addColumn('attempts', 'integer', (col) => col.notNull().defaultTo(0))
    .addColumn('history_id', 'integer')
    .addColumn('created_at', ...instantColumn())
    .addColumn('ended_at', 'text')
    .addColumn('retcode', 'integer')
    .addColumn('execution_time', 'double precision')
    .addColumn('output', 'text', (col) => col.notNull().defaultTo(''))
    .addUniqueConstraint('alert_actions_once', ['alert_id', 'kind'])
    .execute()
  await db.schema.createIndex('alert_actions_history').on('alert_actions').column('history_id').execute()
  await db.schema.createIndex('alert_actions_state').on('alert_actions').column('state').execute()
}
