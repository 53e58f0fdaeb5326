import type { Database } from '../database/database.ts'
import type { OpenDatabase } from '../database/open-database.ts'
import type { JobsTable } from '../database/tables/history.ts'
import type { Log } from '../log/log.ts'
import { endClaim } from './job-rows.ts'
import type { Schedule } from './schedule.ts'

/**
 * A named function that runs on a schedule, or when a row with its name is due. It may run twice, but never
 * concurrently.
 */
export interface Job {
  /** `agents.mark-overdue`. Never rename one: rows reference it. */
  name: string
  /** `signal` aborts when the server stops: throw its reason, and the job runs again after the next start. */
  run(payload: unknown, signal: AbortSignal): Promise<void>
  schedule?: Schedule
  /** Total attempts. Default 10, which take 43 minutes. */
  maxAttempts?: number
}

export interface JobContext {
  database: OpenDatabase<Database>
  /** Identifies this process in the rows that it claims. */
  processId: string
  now: () => Date
  log: Pick<Log, 'error' | 'warn'>
}

type RunContext = JobContext & { stopping: AbortSignal }

const MAX_ATTEMPTS = 10
const FIRST_RETRY_MS = 5000
const MAX_RETRY_MS = 3_600_000
const MAX_ERROR_LENGTH = 10_000

/** Runs a claimed job and records the outcome: done, to be retried, or given up. */
export async function runJob(job: Job, row: JobsTable, context: RunContext): Promise<void> {
  const { database, now, stopping } = context
  const maxAttempts = job.maxAttempts ?? MAX_ATTEMPTS
  try {
    // Every earlier attempt was claimed by a process that died.
    if (row.attempts > maxAttempts) throw new Error('the server ended while the job ran')
    await job.run(JSON.parse(row.payload), stopping)
  } catch (error) {
    await recordFailure(row, error, { ...context, maxAttempts })
    return
  }
  await endClaim(database.db, row, { done_at: now().toISOString(), last_error: null })
}

async function recordFailure(
  row: JobsTable,
  error: unknown,
  { database, now, log, stopping, maxAttempts }: RunContext & { maxAttempts: number },
): Promise<void> {
  if (stopping.aborted && error === stopping.reason) {
    await endClaim(database.db, row, { attempts: row.attempts - 1 })
    return
  }
  const last_error = (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH)
  const details = { err: error, job: row.id, name: row.name, attempts: row.attempts }
  if (row.attempts >= maxAttempts) {
    log.error(details, 'job failed and was given up')
    await endClaim(database.db, row, { last_error, done_at: now().toISOString() })
    return
  }
  log.warn(details, 'job failed and will be retried')
  const waitMs = Math.min(FIRST_RETRY_MS * 2 ** (row.attempts - 1), MAX_RETRY_MS)
  await endClaim(database.db, row, { last_error, due_at: new Date(now().getTime() + waitMs).toISOString() })
}
