import { flagColumn, idColumn, instantColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Sign-in providers (OpenID Connect), and the accounts with which they sign users in. */
export const sso: Migration = {
  name: '0111-sso',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('sso_providers')
      .addColumn('id', ...idColumn(engine))
      .addColumn('name', 'text', (col) => col.notNull().unique())
      .addColumn('issuer', 'text', (col) => col.notNull())
      .addColumn('client_id', 'text', (col) => col.notNull())
      .addColumn('secret', 'text')
      .addColumn('scope', 'text', (col) => col.notNull())
      .addColumn('role_id', 'integer', (col) => col.references('roles.id'))
      .addColumn('role_claim', 'text', (col) => col.notNull())
      .addColumn('link_by_email', ...flagColumn())
      .addColumn('sign_out', ...flagColumn())
      .addColumn('modified', ...instantColumn())
      .execute()
    await db.schema
      .createTable('sso_provider_roles')
      .addColumn('provider_id', 'integer', (col) =>
        col.notNull().references('sso_providers.id').onDelete('cascade'),
      )
      .addColumn('position', 'integer', (col) => col.notNull())
      .addColumn('value', 'text', (col) => col.notNull())
      .addColumn('role_id', 'integer', (col) => col.notNull().references('roles.id'))
      .addPrimaryKeyConstraint('sso_provider_roles_key', ['provider_id', 'position'])
      .execute()
    await db.schema
      .createTable('sso_accounts')
      .addColumn('id', ...idColumn(engine))
      .addColumn('provider_id', 'integer', (col) =>
        col.notNull().references('sso_providers.id').onDelete('cascade'),
      )
      .addColumn('user_id', 'integer', (col) => col.notNull().references('users.id').onDelete('cascade'))
      .addColumn('issuer', 'text', (col) => col.notNull())
      .addColumn('subject', 'text', (col) => col.notNull())
      .addColumn('display', 'text', (col) => col.notNull())
      .addColumn('created_at', ...instantColumn())
      .addColumn('last_login', ...instantColumn())
      .addUniqueConstraint('sso_accounts_subject', ['provider_id', 'issuer', 'subject'])
      .execute()
    await db.schema.createIndex('sso_accounts_user').on('sso_accounts').column('user_id').execute()
    await db.schema
      .createTable('sso_attempts')
      .addColumn('digest', 'text', (col) => col.primaryKey())
      .addColumn('provider_id', 'integer', (col) =>
        col.notNull().references('sso_providers.id').onDelete('cascade'),
      )
      .addColumn('browser_digest', 'text', (col) => col.notNull())
      .addColumn('sealed', 'text', (col) => col.notNull())
      .addColumn('source', 'text', (col) => col.notNull())
      .addColumn('expires_at', ...instantColumn())
      .execute()
    await db.schema.createIndex('sso_attempts_source').on('sso_attempts').column('source').execute()
    await db.schema
      .alterTable('sessions')
      .addColumn('sso_account_id', 'integer', (col) => col.references('sso_accounts.id').onDelete('cascade'))
      .execute()
    await db.schema.createIndex('sessions_sso_account').on('sessions').column('sso_account_id').execute()
    await db.schema.alterTable('sessions').addColumn('id_token', 'text').execute()
  },
}
