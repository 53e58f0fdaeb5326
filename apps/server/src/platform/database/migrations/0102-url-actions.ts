import { idColumn, instantColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Links that are made for a machine, a site or a client. */
export const urlActions: Migration = {
  name: '0102-url-actions',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('url_actions')
      .addColumn('id', ...idColumn(engine))
      .addColumn('name', 'text', (col) => col.notNull().unique())
      .addColumn('description', 'text', (col) => col.notNull())
      .addColumn('pattern', 'text', (col) => col.notNull())
      .addColumn('modified', ...instantColumn())
      .execute()
  },
}
