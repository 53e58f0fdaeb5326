import { sql, type SqlBool } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { openOverdue } from './open-overdue.ts'
import { updateOpenAlerts } from './update-open-alerts.ts'
import { type CheckFinding, takeCheckFindings } from './check-alerts.ts'
import { inBatches, lockChecks } from './queries.ts'
import type { TxContext } from './store-alerts.ts'
import { CHECK_CAUSE } from './causes.ts'

const EVERY_MS = 1000
/** Pause after a slow sweep: sweeps take at most about 1/50 of the time. */
const REST_FACTOR = 50
/** Limits the pause, so that ten thousand alerts do not delay the others by a minute. */
const MAX_REST_MS = 10_000
/** After a start or a resume, machines need time to reconnect. Nothing counts as overdue before that. */
export const GRACE_MS = 120_000
/** A longer gap between two sweeps means that the server slept or its clock changed. */
const GAP_MS = 60_000

/**
 * Handles every second what time alone changes: machines that become overdue, holds and snoozes that end. Everything is
 * decided from rows in transactions, so any number of processes may sweep at once.
 */
export class AlertSweep implements AsyncDisposable {
  #ctx: Context
  #listeningSinceMs: number
  #sweptAtMs: number
  #isNew = true
  #hasFailed = false
  #stopped = false
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.#listeningSinceMs = ctx.now().getTime()
    this.#sweptAtMs = this.#listeningSinceMs
  }

  start(): void {
    if (this.#stopped || this.#timer !== undefined) return
    this.#plan(EVERY_MS)
  }

  /** Sweeps now, after a running sweep. */
  async sweep(): Promise<void> {
    await this.#running
    this.#running = this.#sweep().finally(() => {
      this.#running = undefined
    })
    await this.#running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #plan(delayMs: number): void {
    this.#timer = setTimeout(() => void this.#tick(), delayMs)
    this.#timer.unref()
  }

  async #tick(): Promise<void> {
    const startedMs = performance.now()
    try {
      await this.sweep()
      this.#hasFailed = false
    } catch (error) {
      // Once per outage of the database, not once per second.
      if (!this.#hasFailed) this.#ctx.log.error({ err: error }, 'alert sweep failed')
      this.#hasFailed = true
    }
    const tookMs = performance.now() - startedMs
    if (!this.#stopped) this.#plan(Math.min(MAX_REST_MS, Math.max(EVERY_MS, tookMs * REST_FACTOR)))
  }

  async #sweep(): Promise<void> {
    const ctx = this.#ctx
    const nowMs = ctx.now().getTime()
    if (Math.abs(nowMs - this.#sweptAtMs) > GAP_MS) this.#listeningSinceMs = nowMs
    this.#sweptAtMs = nowMs
    if (this.#isNew) await findForgotten(ctx)
    this.#isNew = false
    await updateOpenAlerts(ctx)
    if (nowMs - this.#listeningSinceMs >= GRACE_MS) await openOverdue(ctx)
    await reopenAlerts(ctx)
  }
}

/** Reopens alerts that a user resolved while their checks failed, once the check has failed again. */
export async function reopenAlerts(ctx: Context): Promise<void> {
  const waiting = await selectRun(ctx.db).select(['alerts.id', 'alerts.check_id']).execute()
  for await (const slice of inBatches(waiting)) {
    await ctx.transaction((tx, emit) => raise({ ctx, tx, emit }, slice))
  }
}

async function raise(
  txContext: TxContext,
  waiting: { id: number; check_id: number | null }[],
): Promise<void> {
  const { ctx, tx } = txContext
  const ids = waiting.map(({ id }) => id)
  await lockChecks(
    tx,
    ctx.engine,
    waiting.flatMap(({ check_id }) => check_id ?? []),
  )
  const run = await selectRun(tx)
    .select(['alerts.id', 'alerts.check_id', 'last_run', 'alert_severity', 'more_info'])
    .where('alerts.id', 'in', ids)
    .orderBy('alerts.id')
    .$if(ctx.engine === 'postgres', (query) => query.forUpdate('alerts').skipLocked())
    .execute()
  if (run.length === 0) return
  await tx
    .updateTable('alerts')
    .set({ look_after: null })
    .where(
      'id',
      'in',
      run.map(({ id }) => id),
    )
    .execute()
  const failing = run.flatMap(({ check_id, last_run, alert_severity, more_info }) =>
    check_id === null || last_run === null || alert_severity === null
      ? []
      : [{ checkId: check_id, at: new Date(last_run), severity: alert_severity, text: more_info ?? '' }],
  )
  await takeCheckFindings(txContext, failing, 'server')
}

/** Resolved alerts that wait for their check, whose check has run or was deleted. */
function selectRun(db: TxContext['tx']) {
  return db
    .selectFrom('alerts')
    .leftJoin('check_results', 'check_results.check_id', 'alerts.check_id')
    .where('alerts.look_after', 'is not', null)
    .where('alerts.open_cause', 'is', null)
    .where((eb) =>
      eb.or([
        eb('alerts.check_id', 'is', null),
        eb('check_results.last_run', '>', eb.ref('alerts.look_after')),
      ]),
    )
}

/**
 * Reconciles alerts with checks after an upgrade from a version without alerts, or a restored backup. Afterwards each
 * change of a check updates its alert.
 */
async function findForgotten(ctx: Context): Promise<void> {
  const forgotten = [...(await selectFailing(ctx.db).execute()), ...(await selectPassing(ctx.db).execute())]
  for await (const slice of inBatches(forgotten)) {
    const ids = slice.map(({ check_id }) => check_id)
    await ctx.transaction(async (tx, emit) => {
      await lockChecks(tx, ctx.engine, ids)
      const failing = await selectFailing(tx).where('check_results.check_id', 'in', ids).execute()
      const passing = await selectPassing(tx).where('check_results.check_id', 'in', ids).execute()
      const found: CheckFinding[] = [...failing, ...passing].map((result) => ({
        checkId: result.check_id,
        at: new Date(result.failing_since ?? result.last_run),
        severity: result.alert_severity,
        text: result.more_info,
      }))
      await takeCheckFindings({ ctx, tx, emit }, found, 'server')
    })
  }
}

const COLUMNS = [
  'check_results.check_id',
  'check_results.failing_since',
  'check_results.last_run',
  'check_results.alert_severity',
  'check_results.more_info',
] as const

/** Failing checks without an alert for this failure. */
function selectFailing(db: Db) {
  return db
    .selectFrom('check_results')
    .select(COLUMNS)
    .where('alert_severity', 'is not', null)
    .where(
      sql<SqlBool>`not exists (
        select 1 from alerts where alerts.cause = ${CHECK_CAUSE} || cast(check_results.check_id as text)
        and (alerts.open_cause is not null or alerts.alert_time >= check_results.failing_since))`,
    )
}

/** Passing checks with an open alert. */
function selectPassing(db: Db) {
  return db
    .selectFrom('alerts')
    .innerJoin('check_results', 'check_results.check_id', 'alerts.check_id')
    .select(COLUMNS)
    .where('alerts.open_cause', 'is not', null)
    .where('check_results.alert_severity', 'is', null)
}
