import type { Db } from '../database/database.ts'
import type { JobsTable } from '../database/tables/history.ts'

/** @returns False if a job with this id was stored before, done or not. */
export async function insertJob(
  db: Db,
  job: Pick<JobsTable, 'id' | 'name' | 'payload' | 'due_at' | 'done_at'>,
): Promise<boolean> {
  const inserted = await db
    .insertInto('jobs')
    .values({ ...job, attempts: 0 })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/**
 * Claims up to `limit` due jobs. Concurrent processes may select the same ids; the condition repeated outside the sub-
 * select lets only the first update find them unclaimed.
 */
export async function claimJobs(
  db: Db,
  claim: { names: readonly string[]; processId: string; now: Date; leaseMs: number; limit: number },
): Promise<JobsTable[]> {
  const now = claim.now.toISOString()
  return db
    .updateTable('jobs')
    .set((eb) => ({
      claimed_by: claim.processId,
      claimed_until: new Date(claim.now.getTime() + claim.leaseMs).toISOString(),
      attempts: eb('attempts', '+', 1),
    }))
    .where((eb) =>
      eb(
        'id',
        'in',
        eb
          .selectFrom('jobs')
          .select('id')
          .where('done_at', 'is', null)
          .where('due_at', '<=', now)
          .where('name', 'in', claim.names)
          .where((free) => free.or([free('claimed_until', 'is', null), free('claimed_until', '<', now)]))
          .orderBy('due_at')
          .limit(claim.limit),
      ),
    )
    .where('done_at', 'is', null)
    .where((free) => free.or([free('claimed_until', 'is', null), free('claimed_until', '<', now)]))
    .returningAll()
    .execute()
}

/** Extends the claims of running jobs. */
export async function renewClaims(
  db: Db,
  claim: { ids: readonly string[]; processId: string; until: Date },
): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ claimed_until: claim.until.toISOString() })
    .where('id', 'in', claim.ids)
    .where('claimed_by', '=', claim.processId)
    .where('done_at', 'is', null)
    .execute()
}

/** Ends this process's claim with the outcome. Does nothing if another process took over the job. */
export async function endClaim(
  db: Db,
  job: Pick<JobsTable, 'id' | 'claimed_by'>,
  outcome: Partial<Pick<JobsTable, 'done_at' | 'last_error' | 'due_at' | 'attempts'>>,
): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ ...outcome, claimed_by: null, claimed_until: null })
    .where('id', '=', job.id)
    .where('claimed_by', '=', job.claimed_by)
    .execute()
}

/** Releases claims of a killed earlier process. Only for a server that is alone on its database. */
export async function releaseForeignClaims(db: Db, processId: string): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ claimed_by: null, claimed_until: null })
    .where('done_at', 'is', null)
    .where('claimed_by', '!=', processId)
    .execute()
}

/** Returns whether the job was ever stored, and whether a timed run of it is still open. */
export async function findTimedRuns(db: Db, name: string): Promise<{ known: boolean; open: boolean }> {
  const rows = await db
    .selectFrom('jobs')
    .select(['done_at'])
    .where('name', '=', name)
    .where('id', 'like', `${name}:%`)
    // Open ones first, on both engines.
    .orderBy((eb) => eb.case().when('done_at', 'is', null).then(0).else(1).end())
    .limit(1)
    .execute()
  return { known: rows.length > 0, open: rows[0]?.done_at === null }
}

/** Deletes jobs that ended before. The last one of each name stays: it records when a timed job ran. */
export async function removeOldJobs(db: Db, before: Date): Promise<void> {
  await db
    .deleteFrom('jobs')
    .where('done_at', '<', before.toISOString())
    .where((eb) =>
      eb(
        'id',
        'not in',
        eb
          .selectFrom('jobs')
          .select((inner) => inner.fn.max('id').as('id'))
          .groupBy('name'),
      ),
    )
    .execute()
}
