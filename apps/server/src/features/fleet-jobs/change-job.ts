import { AppError } from '@muster/contract/errors'
import { type FleetJobState, type FleetJobStep, refuseStep } from '@muster/rules/fleet-jobs/job-state'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { lockRow, requireRow } from '../../platform/database/change-row.ts'
import { chunk } from '../../platform/database/sql.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { requireMayAct } from './actions.ts'
import { needsApproval } from './approval.ts'
import { resolveJobAlert } from './job-alerts.ts'
import {
  countMachines,
  draftOf,
  findJob,
  type JobRow,
  selectMachines,
  sumCounts,
  wavesOf,
  writeLog,
} from './queries.ts'
import { publishJob } from './publish-job.ts'

/** Returns a job with machines that the caller sees. Throws `not_found` otherwise. */
export async function requireJob(db: Db, id: number, caller: Caller): Promise<JobRow> {
  const job = requireRow(await findJob(db, id), 'job')
  if (caller.scope.all) return job
  const seen = await selectMachines(db, caller)
    .select('fleet_job_agents.agent_id')
    .where('job_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  requireRow(seen, 'job')
  return job
}

/** Whether the caller sees all planned machines of a job. */
export async function seesWholeJob(db: Db, id: number, caller: Caller): Promise<boolean> {
  if (caller.scope.all) return true
  const countOf = async (viewer: Parameters<typeof selectMachines>[1]) =>
    Number(
      (
        await selectMachines(db, viewer)
          .innerJoin('agents', 'agents.agent_id', 'fleet_job_agents.agent_id')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('job_id', '=', id)
          .executeTakeFirstOrThrow()
      ).count,
    )
  return (await countOf(caller)) === (await countOf({ scope: { all: true } }))
}

interface Change {
  step: Exclude<FleetJobStep, 'undo'>
  /** Audit and history: `Halted`. */
  done: string
  write(tx: Db, job: JobRow): Promise<Partial<Pick<JobRow, 'state' | 'reason'>>>
}

/** Applies a step of a user to a job, in one transaction with its audit row. */
async function changeState(ctx: Context, caller: Caller, id: number, change: Change): Promise<void> {
  const known = await requireJob(ctx.db, id, caller)
  await requireMayAct(ctx.db, caller, draftOf(ctx, known).action)
  if (!(await seesWholeJob(ctx.db, id, caller)))
    throw new AppError('not_allowed', 'This job also runs on machines that you may not see.')
  await ctx.transaction(async (tx, emit) => {
    await lockRow(tx, 'fleet_jobs', 'id', id)
    const job = requireRow(await findJob(tx, id), 'job')
    const counts = sumCounts(await countMachines(tx, id))
    const refusal = refuseStep(change.step, { state: job.state, counts, hasInverse: true })
    if (refusal !== undefined) throw new AppError('conflict', refusal)
    const values = await change.write(tx, job)
    await tx
      .updateTable('fleet_jobs')
      .set({ ...values, version: job.version + 1 })
      .where('id', '=', id)
      .execute()
    const at = ctx.now()
    if (values.state === 'stopped')
      await publishJob(ctx, tx, job, { state: 'stopped', finished_at: at.toISOString() })
    const text = `${caller.username} ${lower(change.done)} the job`
    await writeLog(tx, { job_id: id, at, username: caller.username, text })
    await resolveJobAlert({ ctx, tx, emit }, job, `${text}.`)
    await audit(tx, {
      caller,
      action: 'bulk_action',
      object_type: 'agent',
      message: `${change.done} the job "${job.name}"`,
      before: { job: id, state: job.state },
      after: { job: id, state: values.state ?? job.state },
      at,
      emit,
    })
    emit({ type: 'fleet_job.changed', ids: [id] })
  })
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

export async function approveJob(ctx: Context, caller: Caller, id: number): Promise<void> {
  await changeState(ctx, caller, id, {
    step: 'approve',
    done: 'Approved',
    async write(tx, job) {
      if (job.user_id === caller.userId)
        throw new AppError('not_allowed', 'Another person must approve this job.')
      const { action } = draftOf(ctx, job)
      if (await needsApproval(tx, caller, { action: action.type, machines: job.planned }))
        throw new AppError('not_allowed', 'Your role also requires approval for this job.')
      const approved = { approved_by: caller.username, approved_at: ctx.now().toISOString() }
      await tx.updateTable('fleet_jobs').set(approved).where('id', '=', id).execute()
      return { state: 'scheduled' }
    },
  })
}

export async function pauseJob(
  ctx: Context,
  caller: Caller,
  id: number,
  { after_wave }: { after_wave: boolean },
): Promise<void> {
  await changeState(ctx, caller, id, {
    step: 'pause',
    done: after_wave ? 'Planned a pause of' : 'Paused',
    async write(tx, job) {
      if (!after_wave) return { state: 'paused', reason: `Paused by ${caller.username}.` }
      if (job.wave === wavesOf(job).length)
        throw new AppError('conflict', 'This is the last wave. Pause the job now.')
      await tx.updateTable('fleet_jobs').set({ pause_after_wave: 1 }).where('id', '=', id).execute()
      return {}
    },
  })
}

export async function haltJobByUser(ctx: Context, caller: Caller, id: number): Promise<void> {
  await changeState(ctx, caller, id, {
    step: 'halt',
    done: 'Halted',
    write: async () => ({ state: 'halted', reason: `Halted by ${caller.username}.` }),
  })
}

export async function resumeJob(
  ctx: Context,
  caller: Caller,
  id: number,
  { rest_at_once }: { rest_at_once: boolean },
): Promise<void> {
  await changeState(ctx, caller, id, {
    step: 'resume',
    done: 'Resumed',
    async write(tx, job) {
      const counts = await countMachines(tx, id)
      const waves = wavesOf(job)
      const current = waves[job.wave - 1]
      if (current?.gate === 'failed') current.gate = 'opened by a user'
      if (rest_at_once && current !== undefined) {
        current.size += waves.splice(job.wave).reduce((sum, { size }) => sum + size, 0)
        current.ended_at = null
        await tx
          .updateTable('fleet_job_agents')
          .set({ wave: job.wave })
          .where('job_id', '=', id)
          .where('wave', '>', job.wave)
          .execute()
      }
      await tx
        .updateTable('fleet_jobs')
        .set({
          waves: JSON.stringify(waves),
          pause_after_wave: 0,
          forgiven: sumCounts(counts).failed,
          forgiven_in_wave: counts.find((one) => one.wave === job.wave)?.failed ?? 0,
        })
        .where('id', '=', id)
        .execute()
      return { state: 'running', reason: null }
    },
  })
}

export async function stopJob(ctx: Context, caller: Caller, id: number): Promise<void> {
  await changeState(ctx, caller, id, {
    step: 'stop',
    done: 'Stopped',
    async write(tx) {
      const now = ctx.now().toISOString()
      await tx
        .updateTable('fleet_job_agents')
        .set({
          state: 'skipped',
          skip: 'stopped',
          reason: `${caller.username} stopped the job.`,
          output_group: 'skipped-stopped',
          finished_at: now,
        })
        .where('job_id', '=', id)
        .where('state', '=', 'waiting')
        .execute()
      await tx.updateTable('fleet_jobs').set({ finished_at: now }).where('id', '=', id).execute()
      return { state: 'stopped', reason: `Stopped by ${caller.username}.` }
    },
  })
}

/** Runs the action again on failed machines. A halted or ended job continues with them. */
export async function retryFailed(
  ctx: Context,
  caller: Caller,
  id: number,
  agentIds: readonly string[] | undefined,
): Promise<void> {
  await changeState(ctx, caller, id, {
    step: 'retry_failed',
    done: 'Retried failed machines of',
    async write(tx, job) {
      let retried = 0
      for (const some of agentIds === undefined ? [undefined] : chunk(agentIds)) {
        const { numUpdatedRows } = await tx
          .updateTable('fleet_job_agents')
          .set({ state: 'waiting', due_at: null, output_group: '', reason: null })
          .where('job_id', '=', id)
          .where('state', '=', 'failed')
          .$if(some !== undefined, (query) => query.where('agent_id', 'in', some ?? []))
          .executeTakeFirst()
        retried += Number(numUpdatedRows)
      }
      if (retried === 0) throw new AppError('conflict', 'These machines have not failed.')
      const counts = await countMachines(tx, id)
      const { waiting, failed } = sumCounts(counts)
      const isOver = job.state === 'done' || job.state === 'stopped'
      const left = Date.parse(job.expires_at) - ctx.now().getTime()
      const waves = wavesOf(job)
      const last = waves.at(-1)
      if (isOver && last !== undefined) last.ended_at = null
      await tx
        .updateTable('fleet_jobs')
        .set({
          forgiven: failed,
          forgiven_in_wave: counts.find((one) => one.wave === job.wave)?.failed ?? 0,
          finished_at: null,
          waves: JSON.stringify(waves),
          // The machines that are left get a day again.
          ...(left < 3_600_000 &&
            waiting > 0 && { expires_at: new Date(ctx.now().getTime() + DAY_MS).toISOString() }),
        })
        .where('id', '=', id)
        .execute()
      return { state: 'running' satisfies FleetJobState, reason: null }
    },
  })
}

const DAY_MS = 86_400_000
