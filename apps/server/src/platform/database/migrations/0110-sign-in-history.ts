import { sql, type SqlBool } from 'kysely'
import type { Migration } from '../migrate.ts'

/** The sign-ins of a user among everything that they did. */
export const signInHistory: Migration = {
  name: '0110-sign-in-history',
  changesData: false,
  async up(db) {
    await db.schema
      .createIndex('audit_log_sign_ins')
      .on('audit_log')
      .columns(['username', 'entry_time'])
      .where(sql<SqlBool>`action in ('login', 'failed_login')`)
      .execute()
  },
}
