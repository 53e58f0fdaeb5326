import { SERVER_CHECK_LIMIT_MS, type ServerMeasured } from '@muster/contract/checks/server-checks'
import type { Context } from '../../../context.ts'
import type { AnyMeasured } from '../judge-result.ts'
import { storeResults } from '../store-results.ts'
import { readSettings } from '../view.ts'
import { connectTarget } from '../../../platform/outbound/connect-target.ts'
import { describeOutbound } from '../../../platform/outbound/outbound-error.ts'
import { claimRuns, type DueCheck, endRun, findDueChecks, releaseRuns } from './run-queries.ts'
import {
  isServerCheck,
  type MeasuredOf,
  type Reach,
  type ServerSettings,
  type SettingsOf,
} from './server-kind.ts'
import { measureDns } from './measure-dns.ts'
import { measureHttp } from './measure-http.ts'

const POLL_MS = 500
const AT_ONCE = 50
/** Longer than the longest run: another process takes over runs of a dead one. */
const LEASE_MS = 60_000
const JITTER = 0.05

interface Ended {
  check: DueCheck
  dueAt: string
  at: Date
  measured: AnyMeasured
}

/**
 * Runs server checks when they are due: rows of server_check_runs survive restarts, and each run is claimed by one
 * process. Finished results are stored together, like results of agents.
 */
export class ServerChecks implements AsyncDisposable {
  #ctx: Context
  #running = new Map<number, Promise<void>>()
  #ended: Ended[] = []
  #storing: Promise<void> | undefined
  #polling: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #stopping = new AbortController()
  #failed = false

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  async start(): Promise<void> {
    const { engine, db, processId } = this.#ctx
    if (engine === 'sqlite') await releaseRuns(db, processId)
    this.#timer = setInterval(() => this.poll(), POLL_MS)
  }

  /** Starts due runs. */
  poll(): void {
    if (this.#stopping.signal.aborted) return
    this.#polling ??= this.#claim().finally(() => {
      this.#polling = undefined
    })
  }

  /** Resolves when no run is left. */
  async settle(): Promise<void> {
    await this.#polling
    await Promise.all(this.#running.values())
    await this.#storing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#stopping.abort(new Error('the server is stopping'))
    await this.settle()
  }

  async #claim(): Promise<void> {
    const { db, processId, now, log } = this.#ctx
    const limit = AT_ONCE - this.#running.size
    if (limit <= 0) return
    try {
      const claimed = await claimRuns(db, { processId, now: now(), leaseMs: LEASE_MS, limit })
      // A run of ours whose claim expired is still running.
      const due = new Map(claimed.map(({ check_id, due_at }) => [check_id, due_at]))
      for (const id of this.#running.keys()) due.delete(id)
      const checks = due.size === 0 ? [] : await findDueChecks(db, [...due.keys()])
      for (const check of checks) this.#begin(check, due.get(check.id) ?? '')
      this.#failed = false
    } catch (error) {
      // Once per outage of the database.
      if (!this.#failed) log.error({ err: error }, 'server checks cannot be read')
      this.#failed = true
    }
  }

  #begin(check: DueCheck, dueAt: string): void {
    const run = this.#measure(check, dueAt)
      .catch((error: unknown) =>
        this.#ctx.log.error({ err: error, check_id: check.id }, 'server check failed unexpectedly'),
      )
      .finally(() => this.#running.delete(check.id))
    this.#running.set(check.id, run)
  }

  async #measure(check: DueCheck, dueAt: string): Promise<void> {
    const { config, now } = this.#ctx
    const settings = readSettings(check)
    if (!isServerCheck(settings)) return
    const { signal } = this.#stopping
    const measured = await measureFromServer(settings, { targets: config.checkTargets, signal })
    // A run aborted by the stop of the server says nothing about the target.
    if (signal.aborted) return
    this.#ended.push({ check, dueAt, at: now(), measured })
    await this.#store()
  }

  /** Results that arrive during one transaction are stored together by the next. */
  async #store(): Promise<void> {
    while (this.#storing !== undefined) await this.#storing
    if (this.#ended.length === 0) return
    const ended = this.#ended
    this.#ended = []
    this.#storing = this.#storeThese(ended).finally(() => {
      this.#storing = undefined
    })
    await this.#storing
  }

  async #storeThese(ended: Ended[]): Promise<void> {
    const { processId, now } = this.#ctx
    await this.#ctx.transaction(async (tx, emit) => {
      const ours: Ended[] = []
      for (const one of ended.toSorted((a, b) => a.check.id - b.check.id)) {
        const { id: checkId, revision } = one.check
        const run = { checkId, revision, processId, dueAt: one.dueAt, nextAt: nextRun(one.check, now()) }
        if (await endRun(tx, run)) ours.push(one)
      }
      const reports = ours.map(({ check, at, measured }) => ({
        agentId: check.agent_id,
        fromServer: true,
        results: [{ check_id: check.id, revision: check.revision, at: at.toISOString(), measured }],
      }))
      if (reports.length > 0) await storeResults(tx, emit, this.#ctx, reports)
    })
  }
}

function nextRun({ run_interval, check_interval }: DueCheck, now: Date): Date {
  const seconds = run_interval === 0 ? check_interval : run_interval
  const jitter = 1 - JITTER + 2 * JITTER * Math.random()
  return new Date(now.getTime() + seconds * 1000 * jitter)
}

/** Measures once within the time limit. A failed connection is a result. */
export async function measureFromServer(settings: ServerSettings, reach: Reach): Promise<ServerMeasured> {
  const limit = new AbortController()
  const signal = AbortSignal.any([reach.signal, limit.signal])
  const over = Promise.withResolvers<ServerMeasured>()
  const timer = setTimeout(() => {
    // Resolved first: the running request would report the abort in other words.
    over.resolve(
      withoutAnswer(settings, `No complete response within ${SERVER_CHECK_LIMIT_MS / 1000} seconds.`),
    )
    limit.abort()
  }, SERVER_CHECK_LIMIT_MS)
  try {
    return await Promise.race([measure(settings, { ...reach, signal }), over.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** None of these throws: failures are results. */
function measure(settings: ServerSettings, reach: Reach): Promise<ServerMeasured> {
  switch (settings.check_type) {
    case 'http':
      return measureHttp(settings, reach)
    case 'tcp':
      return measureTcp(settings, reach)
    case 'dns':
      return measureDns(settings, reach)
  }
}

function withoutAnswer({ check_type }: ServerSettings, reason: string): ServerMeasured {
  switch (check_type) {
    case 'http': {
      const nothing = { status: null, has_present: null, has_absent: null, is_cut: false, cert_days: null }
      return { check_type, reason, ms: null, ...nothing }
    }
    case 'tcp':
      return { check_type, reason, ms: null }
    case 'dns':
      return { check_type, reason, ms: null, answers: [] }
  }
}

async function measureTcp({ host, port }: SettingsOf<'tcp'>, reach: Reach): Promise<MeasuredOf<'tcp'>> {
  const started = performance.now()
  try {
    const socket = await connectTarget({ host, port, ...reach })
    const ms = performance.now() - started
    socket.destroy()
    return { check_type: 'tcp', reason: '', ms }
  } catch (error) {
    return { check_type: 'tcp', reason: describeOutbound(error), ms: null }
  }
}
