import { instantColumn, jsonColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Disks that will be full soon, computed every hour from their history. */
export const diskForecasts: Migration = {
  name: '0091-disk-forecasts',
  changesData: false,
  async up(db) {
    await db.schema
      .createTable('disk_forecasts')
      .addColumn('agent', 'integer', (col) => col.notNull().references('agents.id').onDelete('cascade'))
      .addColumn('mount', 'text', (col) => col.notNull())
      .addColumn('full_at', ...instantColumn())
      .addColumn('points', ...jsonColumn('[]'))
      .addPrimaryKeyConstraint('disk_forecasts_pk', ['agent', 'mount'])
      .execute()
    await db.schema.createIndex('disk_forecasts_full').on('disk_forecasts').column('full_at').execute()
  },
}
