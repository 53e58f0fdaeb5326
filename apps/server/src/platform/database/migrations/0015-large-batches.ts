import { type Kysely, sql } from 'kysely'

export const name = '0015-large-batches'
export const changesData = false

/** Finds the few batches that are worth merging at once. Small ones cost nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index sample_batches_large on sample_batches (agent) where length(samples) > 4000`.execute(
    db,
  )
}
