import type { Migration } from '../migrate.ts'

/** Codes that sign in once each, without the authenticator app. */
export const recoveryCodes: Migration = {
  name: '0095-recovery-codes',
  changesData: false,
  async up(db) {
    await db.schema
      .createTable('recovery_codes')
      .addColumn('user_id', 'integer', (col) => col.notNull().references('users.id').onDelete('cascade'))
      .addColumn('digest', 'text', (col) => col.notNull())
      .addPrimaryKeyConstraint('recovery_codes_pk', ['user_id', 'digest'])
      .execute()
  },
}
