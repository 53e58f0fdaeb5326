import type { Migration } from '../migrate.ts'

/** Sessions opened since then must change the password first. */
export const passwordChanges: Migration = {
  name: '0106-password-changes',
  changesData: false,
  async up(db) {
    await db.schema.alterTable('users').addColumn('must_change_password_since', 'text').execute()
  },
}
