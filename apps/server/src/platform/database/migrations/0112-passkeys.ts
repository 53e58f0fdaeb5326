import { flagColumn, idColumn, instantColumn, jsonColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Passkeys of users, and the challenges that browsers have not answered yet. */
export const passkeys: Migration = {
  name: '0112-passkeys',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('passkeys')
      .addColumn('id', ...idColumn(engine))
      .addColumn('user_id', 'integer', (col) => col.notNull().references('users.id').onDelete('cascade'))
      .addColumn('credential_id', 'text', (col) => col.notNull().unique())
      .addColumn('public_key', 'text', (col) => col.notNull())
      .addColumn('counter', 'bigint', (col) => col.notNull())
      .addColumn('transports', ...jsonColumn('[]'))
      .addColumn('backed_up', ...flagColumn())
      .addColumn('host', 'text', (col) => col.notNull())
      .addColumn('name', 'text', (col) => col.notNull())
      .addColumn('created_at', ...instantColumn())
      .addColumn('last_used_at', 'text')
      .execute()
    await db.schema.createIndex('passkeys_user').on('passkeys').column('user_id').execute()
    await db.schema
      .createTable('passkey_challenges')
      .addColumn('digest', 'text', (col) => col.primaryKey())
      .addColumn('kind', 'text', (col) => col.notNull())
      .addColumn('user_id', 'integer', (col) => col.references('users.id').onDelete('cascade'))
      .addColumn('source', 'text', (col) => col.notNull())
      .addColumn('expires_at', ...instantColumn())
      .execute()
    await db.schema
      .createIndex('passkey_challenges_source')
      .on('passkey_challenges')
      .column('source')
      .execute()
    await db.schema
      .createIndex('passkey_challenges_user')
      .on('passkey_challenges')
      .column('user_id')
      .execute()
  },
}
