import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { chunk } from '../../platform/database/sql.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { findVisibleAgents } from '../agents/queries.ts'
import { actOnMachine, type DirectAction, isRunAction } from './actions.ts'
import { advanceJob, type JobOrder } from './advance-job.ts'
import { refreshDueTimes } from './due-times.ts'
import { keepBefore, readBefore } from './kept-values.ts'
import { draftOf, findJob, findJobHead, findOpenJobs } from './queries.ts'
import { type Ending, findUnsettled, groupOf, settleRuns, skipRemoved, storeEndings } from './settle-runs.ts'

/** Results and returning machines are collected for this long. */
const COLLECT_MS = 30
const RETURNED_MS = 1000
const CHANGED_EVERY_MS = 500
/** Finds what no event announced: jobs of a process that died, runs that expired. */
const SWEEP_MS = 5000
/** Requests to machines at the same time, for actions without a run. */
const ACTING_AT_ONCE = 20
/** After this time an action of a process that is gone has failed. */
const ACTION_MS = 3 * 60_000

/**
 * Advances jobs. Everything that it knows is in the rows: memory only holds what wakes it. Changed runs wake it by
 * their event, time by a timer, and a sweep finds the rest. Any process may advance any job.
 */
export class FleetJobs implements AsyncDisposable {
  #ctx: Context
  #fleet: Fleet
  #orders = new Map<number, JobOrder>()
  #advancing = new Map<number, Promise<void>>()
  #again = new Set<number>()
  #timers = new Map<number, NodeJS.Timeout>()
  #ended = new Set<number>()
  #collecting: NodeJS.Timeout | undefined
  #settling: Promise<void> = Promise.resolve()
  #returned: NodeJS.Timeout | undefined
  #changed = new Map<number, NodeJS.Timeout | undefined>()
  /** Jobs that may have work. */
  #open = new Set<number>()
  /** Those of them with machines that are offline. */
  #waiting = new Set<number>()
  /** Jobs whose machines wait for maintenance windows that have changed. */
  #stale = new Set<number>()
  /** Actions without a run that this process carries out, as `job agent`. */
  #acting = new Set<string>()
  #sweep: NodeJS.Timeout | undefined
  #stopped = false
  // Woken inside a transaction, it must not work as part of it.
  #outside = AsyncLocalStorage.snapshot()

  constructor(ctx: Context, fleet: Fleet) {
    this.#ctx = ctx
    this.#fleet = fleet
    ctx.onEvent(({ type, ids }) => {
      if (this.#stopped) return
      if (type === 'history.changed' && this.#open.size > 0) this.#collect(ids.map(Number))
      if (type === 'agent.changed' && this.#waiting.size > 0) this.#onMachines()
      if (type === 'maintenance.changed') this.#onWindows()
      // Perhaps from another process: its runs may end here.
      if (type === 'fleet_job.changed') for (const id of ids) this.#open.add(Number(id))
    })
  }

  /** Continues the jobs of an earlier start. */
  start(): void {
    this.#sweep = setInterval(() => this.#outside(() => void this.#sweepJobs()), SWEEP_MS)
    this.#outside(() => void this.#sweepJobs())
  }

  /** A job was stored or changed: does what it can now. */
  wake(jobId: number): void {
    if (this.#stopped) return
    this.#open.add(jobId)
    if (this.#advancing.has(jobId)) {
      this.#again.add(jobId)
      return
    }
    const run = this.#outside(() => this.#advance(jobId)).finally(() => {
      this.#advancing.delete(jobId)
      if (this.#again.delete(jobId)) this.wake(jobId)
    })
    this.#advancing.set(jobId, run)
  }

  /** For tests: waits until no job has anything to do now. */
  async idle(): Promise<void> {
    for (;;) {
      // A sweep lets other work run in between.
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#collecting !== undefined) await this.#settle()
      await this.#settling
      if (this.#advancing.size === 0 && this.#acting.size === 0 && this.#ended.size === 0) return
      await Promise.all(this.#advancing.values())
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearInterval(this.#sweep)
    clearTimeout(this.#collecting)
    clearTimeout(this.#returned)
    for (const timer of [...this.#timers.values(), ...this.#changed.values()]) clearTimeout(timer)
    this.#again.clear()
    await this.#settling
    await Promise.all(this.#advancing.values())
  }

  async #advance(jobId: number): Promise<void> {
    // The sweep goes on with it when there is room.
    if (this.#ctx.disk.isLow) return
    try {
      clearTimeout(this.#timers.get(jobId))
      this.#timers.delete(jobId)
      const order = await this.#orderOf(jobId)
      if (order === undefined) return
      if (this.#stale.delete(jobId)) await refreshDueTimes(this.#ctx, jobId)
      for (;;) {
        if (this.#stopped) return
        const step = await advanceJob(this.#ctx, this.#fleet, jobId, order)
        if (step.act !== undefined) this.#act(jobId, order, step.act)
        if (step.waitsForMachines === true) this.#waiting.add(jobId)
        else this.#waiting.delete(jobId)
        this.#emitChanged(jobId)
        if (!step.again) {
          this.#wakeAt(jobId, step.wakeAt)
          break
        }
        // Requests run in between.
        await new Promise((resolve) => setImmediate(resolve))
      }
      const job = await findJobHead(this.#ctx.db, jobId)
      // A job that was halted still gets the results of its running machines.
      if (job?.state !== 'running' && job?.state !== 'scheduled' && (await this.#isQuiet(jobId))) {
        this.#open.delete(jobId)
        this.#orders.delete(jobId)
      }
    } catch (error) {
      if (this.#stopped) return
      this.#ctx.log.error({ err: error, job: jobId }, 'job not advanced')
    }
  }

  async #isQuiet(jobId: number): Promise<boolean> {
    const running = await this.#ctx.db
      .selectFrom('fleet_job_agents')
      .select('agent_id')
      .where('job_id', '=', jobId)
      .where('state', '=', 'running')
      .limit(1)
      .executeTakeFirst()
    return running === undefined
  }

  async #orderOf(jobId: number): Promise<JobOrder | undefined> {
    const known = this.#orders.get(jobId)
    if (known !== undefined) return known
    const job = await findJob(this.#ctx.db, jobId)
    if (job === undefined) return undefined
    const { action, schedule, rollout } = draftOf(this.#ctx, job)
    const order = { action, schedule, rollout }
    this.#orders.set(jobId, order)
    return order
  }

  #wakeAt(jobId: number, at: number | undefined): void {
    if (at === undefined || !Number.isFinite(at) || this.#stopped) return
    // The sweep wakes it for what is further away.
    const ms = Math.max(0, at - this.#ctx.now().getTime())
    if (ms > SWEEP_MS) return
    this.#timers.set(
      jobId,
      setTimeout(() => this.wake(jobId), ms),
    )
  }

  #collect(ids: readonly number[]): void {
    for (const id of ids) this.#ended.add(id)
    this.#collecting ??= setTimeout(() => this.#outside(() => void this.#settle()), COLLECT_MS)
  }

  #settle(): Promise<void> {
    clearTimeout(this.#collecting)
    this.#collecting = undefined
    this.#settling = this.#settling.then(async () => {
      const ids = [...this.#ended]
      this.#ended.clear()
      try {
        const { changed, touched } = await settleRuns(this.#ctx, ids)
        for (const jobId of changed) this.wake(jobId)
        // Sent, accepted and running are shown too.
        for (const jobId of touched) this.#emitChanged(jobId)
      } catch (error) {
        // The sweep finds them.
        if (!this.#stopped) this.#ctx.log.error({ err: error }, 'results of jobs not stored')
      }
    })
    return this.#settling
  }

  /** Machines have connected, perhaps some that jobs wait for. */
  #onMachines(): void {
    this.#returned ??= setTimeout(() => {
      this.#returned = undefined
      for (const jobId of this.#waiting) this.wake(jobId)
    }, RETURNED_MS)
  }

  #onWindows(): void {
    for (const [jobId, { schedule }] of this.#orders) {
      if (!schedule.in_windows) continue
      this.#stale.add(jobId)
      this.wake(jobId)
    }
  }

  async #sweepJobs(): Promise<void> {
    if (this.#stopped) return
    try {
      for (const { id } of await findOpenJobs(this.#ctx.db)) this.#open.add(id)
      for (const jobId of this.#open) {
        await settleRuns(this.#ctx, await findUnsettled(this.#ctx.db, jobId))
        await skipRemoved(this.#ctx, jobId)
        await this.#failLostActions(jobId)
        this.wake(jobId)
      }
    } catch (error) {
      if (!this.#stopped) this.#ctx.log.error({ err: error }, 'jobs cannot be read')
    }
  }

  /** At most twice a second for each job, and once more after the last change. */
  #emitChanged(jobId: number): void {
    if (this.#stopped || this.#changed.has(jobId)) return
    this.#changed.set(
      jobId,
      setTimeout(() => {
        this.#changed.delete(jobId)
        this.#ctx.emit({ type: 'fleet_job.changed', ids: [jobId] })
      }, CHANGED_EVERY_MS),
    )
  }

  #act(
    jobId: number,
    { action }: JobOrder,
    { agentIds, caller }: { agentIds: string[]; caller: Caller },
  ): void {
    if (isRunAction(action)) return
    const keys = agentIds.map((agentId) => `${jobId} ${agentId}`)
    for (const key of keys) this.#acting.add(key)
    void this.#outside(async () => {
      try {
        await this.#actOnAll(jobId, action, { agentIds, caller })
      } catch (error) {
        if (!this.#stopped) this.#ctx.log.error({ err: error, job: jobId }, 'action of a job not stored')
      } finally {
        for (const key of keys) this.#acting.delete(key)
        this.wake(jobId)
      }
    })
  }

  async #actOnAll(
    jobId: number,
    action: DirectAction,
    { agentIds, caller }: { agentIds: string[]; caller: Caller },
  ): Promise<void> {
    const agents = await findVisibleAgents(this.#ctx.db, agentIds, caller)
    for (let from = 0; from < agents.length; from += ACTING_AT_ONCE) {
      const some = agents.slice(from, from + ACTING_AT_ONCE)
      const ids = some.map(({ agent_id }) => agent_id)
      const changed = action.type === 'undo' ? await readBefore(this.#ctx, action.job, ids) : undefined
      const endings = await Promise.all(
        some.map(async (agent): Promise<Ending> => {
          const before = changed?.get(agent.agent_id)
          const startedMs = performance.now()
          const outcome = await actOnMachine(
            this.#ctx,
            { fleet: this.#fleet, caller },
            {
              action,
              agent,
              before,
              keep: (kept, { isSet }) =>
                keepBefore(this.#ctx, { jobId, agentId: agent.agent_id, isSet }, kept),
            },
          ).then(
            (text) => ({ state: 'succeeded' as const, reason: null, text }),
            (error: unknown) => {
              if (!(error instanceof AppError)) throw error
              return { state: 'failed' as const, reason: error.message, text: '' }
            },
          )
          return this.#endingOf(jobId, agent.agent_id, { ...outcome, tookMs: performance.now() - startedMs })
        }),
      )
      await storeEndings(this.#ctx, endings)
      this.wake(jobId)
    }
  }

  #endingOf(
    jobId: number,
    agentId: string,
    {
      state,
      reason,
      text,
      tookMs,
    }: { state: Ending['state']; reason: string | null; text: string; tookMs: number | null },
  ): Ending {
    return {
      jobId,
      agentId,
      historyId: null,
      state,
      reason,
      retcode: null,
      execution_time: tookMs === null ? null : Math.round(tookMs) / 1000,
      finished_at: this.#ctx.now().toISOString(),
      ...groupOf(state, null, { stdout: text, stderr: '' }, reason),
    }
  }

  /** Ends actions whose process is gone. They are not repeated, because the machine may have carried them out. */
  async #failLostActions(jobId: number): Promise<void> {
    const { db, engine, processId } = this.#ctx
    const before = new Date(this.#ctx.now().getTime() - ACTION_MS).toISOString()
    const rows = await db
      .selectFrom('fleet_job_agents')
      .select(['agent_id', 'claimed_by', 'started_at'])
      .where('job_id', '=', jobId)
      .where('state', '=', 'running')
      .where('history_id', 'is', null)
      .where('claimed_by', 'is not', null)
      .execute()
    const lost = rows.filter(
      ({ agent_id, claimed_by, started_at }) =>
        !this.#acting.has(`${jobId} ${agent_id}`) &&
        // On SQLite there is one process, so any other one is gone.
        ((engine === 'sqlite' && claimed_by !== processId) || (started_at ?? '') < before),
    )
    const reason = 'The server stopped during the request. The result is unknown.'
    for (const some of chunk(lost))
      await storeEndings(
        this.#ctx,
        some.map(({ agent_id }) =>
          this.#endingOf(jobId, agent_id, { state: 'failed', reason, text: '', tookMs: null }),
        ),
      )
  }
}
