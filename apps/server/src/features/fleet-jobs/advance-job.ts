import { setImmediate } from 'node:timers/promises'
import type { JobAction, JobDraft } from '@muster/contract/fleet-jobs/job-draft'
import type { SkipCode } from '@muster/contract/api/fleet-jobs'
import { AppError } from '@muster/contract/errors'
import { findGateProblem, findHaltReason, type JobCounts } from '@muster/rules/fleet-jobs/job-state'
import { chooseNext } from '@muster/rules/fleet-jobs/waves'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Db } from '../../platform/database/database.ts'
import { jsonRows } from '../../platform/database/json-rows.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type AgentWithSite, findVisibleAgents } from '../agents/queries.ts'
import { audit } from '../audit/write-audit.ts'
import { writeJobRuns } from '../runs/create-run.ts'
import type { RunRequest } from '../runs/create-run.ts'
import { findUserCaller } from '../users/sessions/find-caller.ts'
import { describeAction, isForOffline, isRunAction, mayAct, openRunOrders } from './actions.ts'
import { type ClosedMachines, findClosed } from './due-times.ts'
import { readGateFacts } from './gate-facts.ts'
import { raiseJobAlert } from './job-alerts.ts'
import { refusalOf } from './plan-job.ts'
import {
  countMachines,
  countOffline,
  countRunning,
  countStartedSince,
  findCandidates,
  findJobHead,
  type JobHead,
  noCounts,
  sumCounts,
  type WaveCounts,
  type WaveRecord,
  wavesOf,
  writeLog,
} from './queries.ts'
import { publishJob } from './publish-job.ts'

/** Machines that start in one transaction. More would hold the event loop for too long: 50 take about 15 ms. */
const STARTED_AT_ONCE = 50
const MINUTE_MS = 60_000
/** How long a run may wait for a link that was lost at the last moment. */
const RUN_WAITS_SECONDS = 600

export type JobOrder = Pick<JobDraft, 'action' | 'schedule' | 'rollout'>

export interface Advance {
  /** There may be more to do at once. */
  again: boolean
  /** Otherwise: when time alone changes something. */
  wakeAt?: number
  /** Offline machines run when they return. */
  waitsForMachines?: boolean
  /** Machines whose action the caller of advanceJob carries out now. */
  act?: { agentIds: string[]; caller: Caller }
}

const NOTHING: Advance = { again: false }
const AGAIN: Advance = { again: true }

/**
 * Does the next step of a job: start it, start machines, end a wave, decide a gate, halt or end the job. Each step is
 * one transaction that holds only while the job has the version that was read, so that two processes may advance a job
 * at the same time: one of them finds that nothing is left to do. A step that is cut off by a crash has not happened.
 */
export async function advanceJob(
  ctx: Context,
  fleet: Fleet,
  jobId: number,
  order: JobOrder,
): Promise<Advance> {
  const job = await findJobHead(ctx.db, jobId)
  if (job === undefined) return NOTHING
  const nowMs = ctx.now().getTime()
  if (job.state === 'scheduled') {
    const startsAt = Date.parse(job.starts_at)
    return startsAt > nowMs ? { again: false, wakeAt: startsAt } : beginJob(ctx, job)
  }
  if (job.state !== 'running') return NOTHING
  const counts = await countMachines(ctx.db, jobId)
  const sum = sumCounts(counts)
  if (nowMs >= Date.parse(job.expires_at) && sum.waiting > 0) return expireWaiting(ctx, job)
  const wave = counts.find((one) => one.wave === job.wave) ?? { wave: job.wave, ...noCounts() }
  const halt = findHaltReason(order.rollout.halt, {
    failed: sum.failed,
    forgiven: job.forgiven,
    wave: {
      size: wavesOf(job)[job.wave - 1]?.size ?? 0,
      failed: wave.failed,
      forgiven: job.forgiven_in_wave,
    },
  })
  if (halt !== undefined) return haltJob(ctx, job, halt)
  const started = await startMachines(ctx, fleet, job, { ...order, sum })
  if (started !== undefined) return started
  const wakeAt = Math.min(
    Date.parse(job.expires_at),
    order.rollout.max_per_minute === null || sum.waiting === 0 ? Infinity : nowMs + 1000,
  )
  const open = sumCounts(counts.filter((one) => one.wave >= 1 && one.wave <= job.wave))
  // Machines that run keep the wave open, however many of the others are offline.
  if (open.running > 0) return { again: false, wakeAt, waitsForMachines: open.waiting > 0 }
  const waitsForOffline = open.waiting > 0 && !isForOffline(order.action)
  const away = waitsForOffline ? await countOffline(ctx.db, jobId) : new Map<number, number>()
  const offline = away.entries().reduce((total, [at, count]) => (at <= job.wave ? total + count : total), 0)
  const isEnded = open.waiting === offline && (endedIn(wave) > 0 || !away.has(job.wave))
  if (!isEnded) return { again: false, wakeAt, waitsForMachines: offline > 0 }
  return endWave(ctx, job, order, { wave, failed: sum.failed, offline, wakeAt })
}

const endedIn = ({ succeeded, failed, skipped }: JobCounts) => succeeded + failed + skipped

/** Runs `write` if nobody has changed the job since it was read. */
async function changeJob(
  ctx: Context,
  job: JobHead,
  write: (tx: Db, emit: Parameters<Parameters<Context['transaction']>[0]>[1]) => Promise<void>,
): Promise<boolean> {
  return ctx.transaction(async (tx, emit) => {
    const { numUpdatedRows } = await tx
      .updateTable('fleet_jobs')
      .set({ version: job.version + 1 })
      .where('id', '=', job.id)
      .where('version', '=', job.version)
      .where('state', '=', job.state)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await write(tx, emit)
    return true
  })
}

const updateJob = (tx: Db, id: number, values: Partial<Omit<JobHead, 'id' | 'version'>>) =>
  tx.updateTable('fleet_jobs').set(values).where('id', '=', id).execute()

async function beginJob(ctx: Context, job: JobHead): Promise<Advance> {
  const now = ctx.now().toISOString()
  const waves = wavesOf(job)
  if (waves[0] !== undefined) waves[0].started_at = now
  await changeJob(ctx, job, async (tx) => {
    await updateJob(tx, job.id, { state: 'running', wave: 1, started_at: now, waves: JSON.stringify(waves) })
  })
  return AGAIN
}

async function expireWaiting(ctx: Context, job: JobHead): Promise<Advance> {
  const at = ctx.now()
  await changeJob(ctx, job, async (tx) => {
    const expire = (reason: string) =>
      tx
        .updateTable('fleet_job_agents')
        .set({
          state: 'skipped',
          skip: 'expired',
          reason,
          output_group: 'skipped-expired',
          finished_at: at.toISOString(),
        })
        .where('job_id', '=', job.id)
        .where('state', '=', 'waiting')
    const closed = await expire('No maintenance window opened before the job expired.')
      .where('due_at', '>', at.toISOString())
      .executeTakeFirst()
    const away = await expire('The machine was offline until the job expired.').executeTakeFirst()
    await updateJob(tx, job.id, { wave: wavesOf(job).length })
    const text = `The job expired for ${closed.numUpdatedRows + away.numUpdatedRows} waiting machines`
    await writeLog(tx, { job_id: job.id, at, username: '', text })
  })
  return AGAIN
}

async function haltJob(ctx: Context, job: JobHead, reason: string, waves?: WaveRecord[]): Promise<Advance> {
  const at = ctx.now()
  await changeJob(ctx, job, async (tx, emit) => {
    await updateJob(tx, job.id, {
      state: 'halted',
      reason,
      ...(waves !== undefined && { waves: JSON.stringify(waves) }),
    })
    await writeLog(tx, { job_id: job.id, at, username: '', kind: 'failure', text: `Halted: ${reason}` })
    const text = `halted: ${reason}`
    await raiseJobAlert({ ctx, tx, emit }, job, { severity: 'error', text })
    await audit(tx, {
      caller: { username: 'server', source: '' },
      action: 'bulk_action',
      object_type: 'agent',
      message: `Halted the job "${job.name}": ${reason.replace(/\.$/, '')}`,
      before: { job: job.id, state: job.state },
      after: { job: job.id, state: 'halted' },
      at,
      emit,
    })
  })
  return NOTHING
}

/** Starts the next machines that all limits admit; undefined = none can start now. */
async function startMachines(
  ctx: Context,
  fleet: Fleet,
  job: JobHead,
  { action, schedule, rollout, sum }: JobOrder & { sum: JobCounts },
): Promise<Advance | undefined> {
  const now = ctx.now()
  // Machines of busy sites may stand before others.
  const limit = rollout.max_per_site === null ? STARTED_AT_ONCE : STARTED_AT_ONCE * 20
  if (sum.running >= (rollout.max_at_once ?? Infinity) || sum.waiting === 0) return undefined
  const found = await findCandidates(ctx.db, job, {
    now: now.toISOString(),
    limit,
    isForOffline: isForOffline(action),
  })
  if (found.length === 0) return undefined
  const aMinuteAgo = new Date(now.getTime() - MINUTE_MS).toISOString()
  const chosen = chooseNext(
    found.map((row) => ({ ...row, agentId: row.agent_id, siteId: row.site_id ?? 0 })),
    rollout,
    {
      running: sum.running,
      runningPerSite: rollout.max_per_site === null ? new Map() : await countRunning(ctx.db, job.id),
      startedLastMinute:
        rollout.max_per_minute === null ? 0 : await countStartedSince(ctx.db, job.id, aMinuteAgo),
    },
    STARTED_AT_ONCE,
  )
  if (chosen.length === 0) return undefined
  const caller = await findUserCaller(ctx, job)
  if (caller === undefined || !(await mayAct(ctx.db, caller, action)))
    return haltJob(ctx, job, `${job.username} may no longer do this on machines.`)
  const ids = chosen.map(({ agent_id }) => agent_id)
  const closed: ClosedMachines = schedule.in_windows
    ? await findClosed(ctx.db, ids, now)
    : { postponed: new Map(), skips: [] }
  const isClosed = new Set([...closed.postponed.keys(), ...closed.skips.map(({ agentId }) => agentId)])
  const agents = await findVisibleAgents(ctx.db, ids, caller)
  const open = agents.filter(({ agent_id }) => !isClosed.has(agent_id))
  const prepared = await prepare(ctx, caller, { job, action, agents: open }).catch((error: unknown) => {
    if (error instanceof AppError) return error
    throw error
  })
  // A script, site or field of the action was deleted.
  if (prepared instanceof AppError) return haltJob(ctx, job, prepared.message)
  const visible = new Set(agents.map(({ agent_id }) => agent_id))
  const skips = [
    ...prepared.skips,
    ...chosen
      .filter(({ agent_id }) => !visible.has(agent_id))
      .map(({ agent_id, site_id }) => ({
        agentId: agent_id,
        code: site_id === null ? ('removed' as const) : ('moved' as const),
        reason:
          site_id === null
            ? 'The machine was removed.'
            : `The machine was moved to a place that ${job.username} may not see.`,
      })),
  ]
  const starting = prepared.starting.map(({ agent_id }) => agent_id)
  const tries = new Map(chosen.map((row) => [row.agent_id, row.tries + 1]))
  const isDone = await changeJob(ctx, job, async (tx, emit) => {
    for (const skip of [...skips, ...closed.skips]) await skipMachine(tx, job.id, skip, now)
    for (const [agentId, due_at] of closed.postponed)
      await tx
        .updateTable('fleet_job_agents')
        .set({ due_at })
        .where('job_id', '=', job.id)
        .where('agent_id', '=', agentId)
        .where('state', '=', 'waiting')
        .execute()
    if (starting.length === 0) return
    if (prepared.readBefore !== undefined) {
      const before = Array.from(await prepared.readBefore(tx, starting), ([agentId, value]) => ({
        agent_id: agentId,
        before: JSON.stringify(value),
      }))
      const given = jsonRows(tx, 'fleet_job_agents', ['agent_id', 'before'], before)
      await tx
        .updateTable('fleet_job_agents')
        .from(given.as('given'))
        .set((eb) => ({ before: eb.ref('given.before') }))
        .where('job_id', '=', job.id)
        .whereRef('fleet_job_agents.agent_id', '=', 'given.agent_id')
        .where('fleet_job_agents.before', 'is', null)
        .execute()
    }
    const orders = prepared.orders.map((order) => ({ order, number: tries.get(order.agent.agent_id) ?? 1 }))
    await writeJobRuns({ ctx, tx, emit }, job.id, orders)
    await tx
      .updateTable('fleet_job_agents')
      .set((eb) => ({
        state: 'running',
        tries: eb('tries', '+', 1),
        started_at: now.toISOString(),
        finished_at: null,
        retcode: null,
        execution_time: null,
        reason: null,
        output_group: '',
        line: '',
        claimed_by: prepared.orders.length > 0 ? null : ctx.processId,
        history_id: eb
          .selectFrom('agent_history')
          .select('agent_history.id')
          .where('agent_history.fleet_job_id', '=', job.id)
          .whereRef('agent_history.agent_id', '=', 'fleet_job_agents.agent_id')
          .whereRef('agent_history.fleet_job_try', '=', eb('fleet_job_agents.tries', '+', 1)),
      }))
      .where('job_id', '=', job.id)
      .where('state', '=', 'waiting')
      .where('agent_id', 'in', starting)
      .execute()
  })
  if (!isDone || starting.length === 0) return AGAIN
  if (prepared.orders.length === 0) return { again: true, act: { agentIds: starting, caller } }
  // Other calls run in between.
  await setImmediate()
  await fleet.deliverAll(starting)
  return AGAIN
}

interface Skip {
  agentId: string
  code: SkipCode
  reason: string
}

/** The runs of these machines, or of an action without runs the machines themselves. */
async function prepare(
  ctx: Context,
  caller: Caller,
  { job, action, agents }: { job: JobHead; action: JobAction; agents: AgentWithSite[] },
) {
  const skips: Skip[] = []
  const described = await describeAction(ctx, caller, action)
  const suitable = agents.filter((agent) => {
    const reason = described.unsuitable(agent)
    if (reason !== undefined) skips.push({ agentId: agent.agent_id, code: 'unsuitable', reason })
    return reason === undefined
  })
  const { readBefore } = described
  if (!isRunAction(action)) return { skips, starting: suitable, orders: [], readBefore }
  const leftMs = Date.parse(job.expires_at) - ctx.now().getTime()
  const expiresInSeconds = Math.max(1, Math.min(RUN_WAITS_SECONDS, Math.floor(leftMs / 1000)))
  const orderOf = await openRunOrders(ctx, caller, {
    action,
    agents: suitable,
    expiresInSeconds,
    jobId: job.id,
  })
  const orders: RunRequest[] = []
  for (const agent of suitable) {
    const refusal = refusalOf(() => orders.push(orderOf(agent)))
    if (refusal !== undefined) skips.push({ agentId: agent.agent_id, ...refusal })
  }
  return { skips, starting: orders.map((order) => order.agent), orders, readBefore }
}

async function skipMachine(tx: Db, jobId: number, { agentId, code, reason }: Skip, now: Date): Promise<void> {
  await tx
    .updateTable('fleet_job_agents')
    .set({
      state: 'skipped',
      skip: code,
      reason,
      output_group: `skipped-${code}`,
      finished_at: now.toISOString(),
    })
    .where('job_id', '=', jobId)
    .where('agent_id', '=', agentId)
    .where('state', '=', 'waiting')
    .execute()
}

/** All machines of the wave have ended, except those that are offline. */
async function endWave(
  ctx: Context,
  job: JobHead,
  { rollout }: JobOrder,
  { wave, failed, offline, wakeAt }: { wave: WaveCounts; failed: number; offline: number; wakeAt: number },
): Promise<Advance> {
  const at = ctx.now()
  const waves = wavesOf(job)
  const record = waves[job.wave - 1]
  if (record === undefined) return NOTHING
  const isLast = job.wave === waves.length
  if (isLast && offline > 0) return { again: false, wakeAt, waitsForMachines: true }
  if (record.ended_at === null || isLast) {
    record.ended_at ??= at.toISOString()
    const pauses = !isLast && job.pause_after_wave === 1
    await changeJob(ctx, job, async (tx, emit) => {
      const text = `Wave ${job.wave} ended: ${wave.succeeded} succeeded, ${wave.failed} failed`
      await writeLog(tx, { job_id: job.id, at, username: '', text })
      await updateJob(tx, job.id, {
        waves: JSON.stringify(waves),
        ...(isLast && { state: 'done', finished_at: at.toISOString(), reason: null }),
        ...(pauses && { state: 'paused', reason: `Paused after wave ${job.wave}.`, pause_after_wave: 0 }),
      })
      if (!isLast) return
      await publishJob(ctx, tx, job, { state: 'done', finished_at: at.toISOString() })
      if (failed === 0) return
      const machines = failed === 1 ? '1 machine' : `${failed} machines`
      const finding = { severity: 'warning' as const, text: `ended: ${machines} failed.` }
      await raiseJobAlert({ ctx, tx, emit }, job, finding)
    })
    return AGAIN
  }
  const waitMs = Math.max(rollout.pause_minutes, rollout.watch_minutes) * MINUTE_MS
  const opensAt = Date.parse(record.ended_at) + waitMs
  if (record.gate === 'closed' && opensAt > at.getTime())
    return { again: false, wakeAt: Math.min(wakeAt, opensAt) }
  const problem =
    record.gate === 'opened by a user'
      ? undefined
      : findGateProblem(rollout.conditions, await readGateFacts(ctx, job, rollout.conditions, wave))
  record.decided_at = at.toISOString()
  if (problem !== undefined) {
    record.gate = 'failed'
    record.gate_text = problem
    return haltJob(ctx, job, problem, waves)
  }
  if (record.gate === 'closed') record.gate = 'passed'
  const next = waves[job.wave]
  if (next !== undefined) next.started_at = at.toISOString()
  await changeJob(ctx, job, async (tx) => {
    await updateJob(tx, job.id, { wave: job.wave + 1, forgiven_in_wave: 0, waves: JSON.stringify(waves) })
    const text = `Wave ${job.wave} passed; wave ${job.wave + 1} started`
    await writeLog(tx, { job_id: job.id, at, username: '', text })
  })
  return AGAIN
}
