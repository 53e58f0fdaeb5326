import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { Db } from '../database/database.ts'
import {
  claimJobs,
  findTimedRuns,
  insertJob,
  releaseForeignClaims,
  removeOldJobs,
  renewClaims,
} from './job-rows.ts'
import { type Job, type JobContext, runJob } from './run-job.ts'

export interface Jobs extends AsyncDisposable {
  define(jobs: readonly Job[]): void
  /** Starts to run due jobs, within a second of their time. */
  start(): Promise<void>
  /**
   * Stores a job that survives a restart. With an `id` it runs once: false means that the id already exists. Inside a
   * transaction pass its `tx` as `db`; the job then exists only after the commit.
   */
  enqueue(name: string, payload: unknown, options?: { id?: string; dueAt?: Date; db?: Db }): Promise<boolean>
  /** For tests: runs all due jobs, including timed ones, until none is left. */
  drain(): Promise<void>
}

const POLL_MS = 1000
const LEASE_MS = 60_000
const RENEW_MS = 20_000
const AT_ONCE = 8
const KEEP_DONE_MS = 2 * 24 * 3_600_000
const CLEAN_EVERY_MS = 3_600_000

export function createJobs(options: JobContext): Jobs {
  return new JobRunner(options)
}

/**
 * One loop per process: it stores due timed runs, claims due rows while there is capacity, and renews the claims of
 * long jobs. A claim that is not renewed (the process died) expires after a minute, and another process or the next
 * start takes the job. Its attempt counts, so a job that kills its process is given up eventually.
 */
class JobRunner implements Jobs {
  #options: JobContext
  #jobs = new Map<string, Job>()
  #running = new Map<string, Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #polling: Promise<void> | undefined
  #pollAgain = false
  #pollFailed = false
  #stopping = new AbortController()
  #timedMinute: number | undefined
  #renewedAt = 0
  #cleanedAt = 0
  // A job stored inside a transaction wakes the loop, which must not run as part of that transaction.
  #outside = AsyncLocalStorage.snapshot()

  constructor(options: JobContext) {
    this.#options = options
  }

  define(jobs: readonly Job[]): void {
    for (const job of jobs) {
      if (!/^[a-z][a-z.-]*$/.test(job.name)) throw new Error(`invalid job name: ${job.name}`)
      if (this.#jobs.has(job.name)) throw new Error(`duplicate job name: ${job.name}`)
      this.#jobs.set(job.name, job)
    }
    this.#timedMinute = undefined
  }

  async start(): Promise<void> {
    const { database, processId } = this.#options
    if (database.engine === 'sqlite') await releaseForeignClaims(database.db, processId)
    this.#timer = setInterval(() => this.#wake(), POLL_MS)
    this.#wake()
  }

  async enqueue(
    name: string,
    payload: unknown,
    options: { id?: string; dueAt?: Date; db?: Db } = {},
  ): Promise<boolean> {
    const { id = randomUUID(), dueAt = this.#options.now(), db = this.#options.database.db } = options
    if (!this.#jobs.has(name)) throw new Error(`unknown job: ${name}`)
    const row = {
      id,
      name,
      payload: JSON.stringify(payload ?? null),
      due_at: dueAt.toISOString(),
      done_at: null,
    }
    const inserted = await insertJob(db, row)
    if (this.#timer !== undefined) this.#wake()
    return inserted
  }

  async drain(): Promise<void> {
    await this.#polling
    do {
      await this.#storeTimedRuns()
      await this.#claimAndRun(100)
      await Promise.all(this.#running.values())
    } while ((await this.#claimAndRun(100)) > 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#stopping.abort(new Error('the server is stopping'))
    await this.#polling
    await Promise.all(this.#running.values())
  }

  #wake(): void {
    if (this.#stopping.signal.aborted) return
    if (this.#polling !== undefined) {
      this.#pollAgain = true
      return
    }
    this.#polling = this.#outside(() => this.#poll()).finally(() => {
      this.#polling = undefined
      if (!this.#pollAgain) return
      this.#pollAgain = false
      this.#wake()
    })
  }

  async #poll(): Promise<void> {
    try {
      await this.#renew()
      await this.#clean()
      await this.#storeTimedRuns()
      while (this.#running.size < AT_ONCE && !this.#stopping.signal.aborted) {
        if ((await this.#claimAndRun(AT_ONCE - this.#running.size)) === 0) break
      }
      this.#pollFailed = false
    } catch (error) {
      // Once per outage, not once per second.
      if (!this.#pollFailed) this.#options.log.error({ err: error }, 'jobs cannot be read')
      this.#pollFailed = true
    }
  }

  async #claimAndRun(limit: number): Promise<number> {
    const { database, processId, now } = this.#options
    const names = [...this.#jobs.keys()]
    if (names.length === 0) return 0
    const rows = await claimJobs(database.db, { names, processId, now: now(), leaseMs: LEASE_MS, limit })
    for (const row of rows) {
      const job = this.#jobs.get(row.name)
      // Our own job whose claim expired, for example in a database outage, is still running.
      if (job === undefined || this.#running.has(row.id)) continue
      const run = runJob(job, row, { ...this.#options, stopping: this.#stopping.signal })
        .catch((error: unknown) => this.#options.log.error({ err: error, job: row.id }, 'job not recorded'))
        .finally(() => {
          this.#running.delete(row.id)
          if (this.#timer !== undefined) this.#wake()
        })
      this.#running.set(row.id, run)
    }
    return rows.length
  }

  async #storeTimedRuns(): Promise<void> {
    const at = this.#options.now()
    const minute = Math.floor(at.getTime() / 60_000)
    if (minute === this.#timedMinute) return
    await storeTimedRuns(this.#options.database.db, this.#jobs.values(), at)
    this.#timedMinute = minute
  }

  async #renew(): Promise<void> {
    const { database, processId, now } = this.#options
    const at = now().getTime()
    if (this.#running.size === 0 || at - this.#renewedAt < RENEW_MS) return
    this.#renewedAt = at
    await renewClaims(database.db, {
      ids: [...this.#running.keys()],
      processId,
      until: new Date(at + LEASE_MS),
    })
  }

  async #clean(): Promise<void> {
    const at = this.#options.now().getTime()
    if (at - this.#cleanedAt < CLEAN_EVERY_MS) return
    this.#cleanedAt = at
    await removeOldJobs(this.#options.database.db, new Date(at - KEEP_DONE_MS))
  }
}

/**
 * Stores the due run of each timed job. Every process does so; the id, made of name and minute, admits one row. Of the
 * runs missed while the server was off, the last one is made up for. When a name is new, its last minute is recorded as
 * done, so a new server does not start with last night's work.
 */
async function storeTimedRuns(db: Db, jobs: Iterable<Job>, now: Date): Promise<void> {
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
