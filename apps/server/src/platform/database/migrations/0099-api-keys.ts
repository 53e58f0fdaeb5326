import { flagColumn, idColumn, instantColumn, jsonColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** API keys, and users for programs only. */
export const apiKeys: Migration = {
  name: '0099-api-keys',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('api_keys')
      .addColumn('id', ...idColumn(engine))
      .addColumn('name', 'text', (col) => col.notNull().unique())
      .addColumn('user_id', 'integer', (col) => col.notNull().references('users.id').onDelete('cascade'))
      .addColumn('digest', 'text', (col) => col.notNull().unique())
      .addColumn('old_digest', 'text', (col) => col.unique())
      .addColumn('old_until', 'text')
      // A deleted role must not widen the rights of its keys, so it cannot be deleted.
      .addColumn('role_id', 'integer', (col) => col.references('roles.id'))
      .addColumn('is_limited', ...flagColumn())
      .addColumn('allowed_addresses', ...jsonColumn('[]'))
      .addColumn('expires_at', 'text')
      .addColumn('last_used_at', 'text')
      .addColumn('last_used_source', 'text')
      .addColumn('created_at', ...instantColumn())
      .execute()
    await db.schema.createIndex('api_keys_user').on('api_keys').column('user_id').execute()
    await db.schema.createIndex('api_keys_role').on('api_keys').column('role_id').execute()
    await db.schema
      .createTable('api_key_clients')
      .addColumn('api_key_id', 'integer', (col) =>
        col.notNull().references('api_keys.id').onDelete('cascade'),
      )
      .addColumn('client_id', 'integer', (col) => col.notNull().references('clients.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('api_key_clients_pk', ['api_key_id', 'client_id'])
      .execute()
    await db.schema.createIndex('api_key_clients_client').on('api_key_clients').column('client_id').execute()
    await db.schema
      .alterTable('users')
      .addColumn('block_dashboard_login', ...flagColumn())
      .execute()
    await db.schema.alterTable('audit_log').addColumn('api_key', 'text').execute()
    // No foreign keys: a job of a deleted key must not go on with the rights of its owner.
    for (const table of ['fleet_jobs', 'repeating_jobs'])
      await db.schema.alterTable(table).addColumn('api_key_id', 'integer').execute()
  },
}
