import { type Kysely, sql } from 'kysely'

export const name = '0018-check-dependencies'
export const changesData = false

/** A check may depend on another check, also on another machine. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('checks')
    .addColumn('depends_on', 'integer', (col) => col.references('checks.id').onDelete('set null'))
    .execute()
  // Alerts query every second which checks depend on a failing one.
  await db.schema
    .createIndex('checks_depends_on')
    .on('checks')
    .column('depends_on')
    .where(sql<boolean>`depends_on is not null`)
    .execute()
}
