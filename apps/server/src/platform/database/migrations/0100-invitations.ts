import { idColumn, instantColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Links by which invited users set their name and password. */
export const invitations: Migration = {
  name: '0100-invitations',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('invitations')
      .addColumn('id', ...idColumn(engine))
      .addColumn('digest', 'text', (col) => col.notNull().unique())
      .addColumn('email', 'text', (col) => col.notNull())
      .addColumn('role_id', 'integer', (col) => col.notNull().references('roles.id').onDelete('cascade'))
      .addColumn('user_id', 'integer', (col) => col.notNull().references('users.id').onDelete('cascade'))
      .addColumn('created_at', ...instantColumn())
      .addColumn('expires_at', ...instantColumn())
      .execute()
    for (const column of ['role_id', 'user_id'])
      await db.schema.createIndex(`invitations_${column}`).on('invitations').column(column).execute()
  },
}
