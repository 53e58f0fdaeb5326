import type { Kysely } from 'kysely'

export const name = '0042-enforces-rules'
export const changesData = false

/** Whether the agent of a machine enforces the rules for remote tools; taken for granted until it signs in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('agents')
    .addColumn('enforces_rules', 'integer', (col) => col.notNull().defaultTo(1))
    .execute()
}
