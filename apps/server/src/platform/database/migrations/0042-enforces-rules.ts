import type { Kysely } from 'kysely'

export const name = '0042-enforces-rules'
export const changesData = false

/** Whether a machine's agent enforces the remote access rules. Assumed until it signs in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('agents')
    .addColumn('enforces_rules', 'integer', (col) => col.notNull().defaultTo(1))
    .execute()
}
