import type { Db } from '../database/database.ts'
import { findTimedRuns, insertJob } from './job-rows.ts'
import type { Job } from './run-job.ts'

/**
 * Stores the run of each timed job whose minute has come. Every process does so; the id, made of name and minute,
 * lets one row through. Of runs missed while the server was off the last one is made up for. The first time that
 * a name is seen its last minute is recorded as done: a new server does not start with last night's work.
 */
export async function storeTimedRuns(db: Db, jobs: Iterable<Job>, now: Date): Promise<void> {
  for (const { name, schedule } of jobs) {
    const due = schedule?.latestRun(now)
    if (due === undefined) continue
    const runs = await findTimedRuns(db, name)
    // A run that takes longer than its interval, or waits for its next attempt, is not overtaken by the next.
    if (runs.open) continue
    const due_at = due.toISOString()
    const done_at = runs.known ? null : now.toISOString()
    await insertJob(db, { id: `${name}:${due_at.slice(0, 16)}Z`, name, payload: 'null', due_at, done_at })
  }
}
