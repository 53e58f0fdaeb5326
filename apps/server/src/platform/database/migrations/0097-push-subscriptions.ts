import { idColumn, instantColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Browsers that get alerts as push notifications. */
export const pushSubscriptions: Migration = {
  name: '0097-push-subscriptions',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('push_subscriptions')
      .addColumn('id', ...idColumn(engine))
      .addColumn('user_id', 'integer', (col) => col.notNull().references('users.id').onDelete('cascade'))
      // Not a foreign key: sessions expire after hours, and a phone is notified for longer.
      .addColumn('session_digest', 'text', (col) => col.notNull())
      .addColumn('digest', 'text', (col) => col.notNull().unique())
      .addColumn('sealed', 'text', (col) => col.notNull())
      .addColumn('created_at', ...instantColumn())
      .execute()
    await db.schema
      .createIndex('push_subscriptions_user')
      .on('push_subscriptions')
      .column('user_id')
      .execute()
  },
}
