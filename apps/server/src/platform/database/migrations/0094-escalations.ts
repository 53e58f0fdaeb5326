import { idColumn, instantColumn, jsonColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** On-call schedules, escalation chains, and how far chains have come. */
export const escalations: Migration = {
  name: '0094-escalations',
  changesData: false,
  async up(db, engine) {
    for (const table of ['on_call_schedules', 'escalation_chains']) {
      await db.schema
        .createTable(table)
        .addColumn('id', ...idColumn(engine))
        .addColumn('name', 'text', (col) => col.notNull().unique())
        .addColumn('settings', ...jsonColumn('{}'))
        .addColumn('created_at', ...instantColumn())
        .addColumn('modified', ...instantColumn())
        .execute()
    }
    await db.schema
      .createTable('alert_escalations')
      .addColumn('alert_id', 'integer', (col) => col.primaryKey().references('alerts.id').onDelete('cascade'))
      // Not a foreign key: storing an alert never waits for a change of a chain.
      .addColumn('chain_id', 'integer', (col) => col.notNull())
      .addColumn('state', 'text', (col) => col.notNull())
      .addColumn('run', 'integer', (col) => col.notNull())
      .addColumn('turn', 'integer', (col) => col.notNull())
      .addColumn('next_at', 'text')
      .execute()
    await db.schema
      .createTable('escalation_notifications')
      .addColumn('id', ...idColumn(engine))
      .addColumn('alert_id', 'integer', (col) => col.notNull().references('alerts.id').onDelete('cascade'))
      .addColumn('at', ...instantColumn())
      .addColumn('chain', 'text', (col) => col.notNull())
      .addColumn('step', 'integer', (col) => col.notNull())
      .addColumn('recipient', 'text', (col) => col.notNull())
      .addColumn('schedule', 'text', (col) => col.notNull())
      .addColumn('address', 'text', (col) => col.notNull())
      .addColumn('channel', 'text', (col) => col.notNull())
      .addColumn('notice_id', 'integer')
      .addColumn('problem', 'text', (col) => col.notNull())
      .execute()
    for (const column of ['alert_id', 'notice_id'])
      await db.schema
        .createIndex(`escalation_notifications_${column}`)
        .on('escalation_notifications')
        .column(column)
        .execute()
  },
}
