import { flagColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Which machines are those of servers, and what superusers approved for them. Each start of a server marks its own. */
export const serverMachine: Migration = {
  name: '0119-server-machine',
  changesData: false,
  async up(db) {
    await db.schema
      .alterTable('agents')
      .addColumn('server_machine', ...flagColumn())
      .execute()
    await db.schema
      .alterTable('enrol_tokens')
      .addColumn('server_machine', ...flagColumn())
      .execute()
    for (const table of ['tasks', 'checks'])
      await db.schema
        .alterTable(table)
        .addColumn('approved_revision', 'text', (col) => col.notNull().defaultTo(''))
        .execute()
  },
}
