import type { Db } from '../database/database.ts'
import { findTimedRuns, insertJob } from './job-rows.ts'
import type { Job } from './run-job.ts'

/**
 * Stores the due run of each timed job. Every process does so; the id, made of name and minute, admits one row. Of the
 * runs missed while the server was off, the last one is made up for. When a name is new, its last minute is recorded as
 * done, so a new server does not start with last night's work.
 */
export async function storeTimedRuns(db: Db, jobs: Iterable<Job>, now: Date): Promise<void> {
  for (const { name, schedule } of jobs) {
    const due = schedule?.latestRun(now)
    if (due === undefined) continue
    const runs = await findTimedRuns(db, name)
    // A run that takes longer than its interval, or waits for a retry, blocks the next one.
    if (runs.open) continue
    const due_at = due.toISOString()
    const done_at = runs.known ? null : now.toISOString()
    await insertJob(db, { id: `${name}:${due_at.slice(0, 16)}Z`, name, payload: 'null', due_at, done_at })
  }
}
