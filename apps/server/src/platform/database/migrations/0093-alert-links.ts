import { instantColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Links in notifications that acknowledge an alert once, without signing in. */
export const alertLinks: Migration = {
  name: '0093-alert-links',
  changesData: false,
  async up(db) {
    await db.schema
      .createTable('alert_links')
      .addColumn('digest', 'text', (col) => col.primaryKey())
      .addColumn('alert_id', 'integer', (col) => col.notNull().references('alerts.id').onDelete('cascade'))
      .addColumn('recipient', 'text', (col) => col.notNull())
      .addColumn('time_zone', 'text', (col) => col.notNull())
      .addColumn('expires_at', ...instantColumn())
      .addColumn('used_at', 'text')
      .execute()
    await db.schema.createIndex('alert_links_alert').on('alert_links').column('alert_id').execute()
    await db.schema.createIndex('alert_links_expiry').on('alert_links').column('expires_at').execute()
  },
}
