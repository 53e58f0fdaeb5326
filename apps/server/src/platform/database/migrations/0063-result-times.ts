import { type Kysely, sql } from 'kysely'
import type { Engine } from '../columns.ts'

export const name = '0063-result-times'
export const changesData = true

/** The last run of a check as a number, so that the database can find old results. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .alterTable('check_results')
    .addColumn('ran_at', 'bigint', (col) => col.notNull().defaultTo(0))
    .execute()
  const seconds =
    engine === 'sqlite'
      ? sql`cast(strftime('%s', last_run) as integer)`
      : sql`floor(extract(epoch from cast(last_run as timestamptz)))`
  await sql`update check_results set ran_at = ${seconds}`.execute(db)
}
