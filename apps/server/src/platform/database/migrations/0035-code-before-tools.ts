import type { Kysely } from 'kysely'

export const name = '0035-code-before-tools'
export const changesData = false

/** Roles can require a second factor before remote tools. Sessions record when they last passed one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('roles')
    .addColumn('require_2fa_for_remote', 'integer', (col) => col.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('sessions').addColumn('code_at', 'text').execute()
}
