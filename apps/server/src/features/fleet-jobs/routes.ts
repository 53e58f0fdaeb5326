import { setImmediate } from 'node:timers/promises'
import {
  approveFleetJob,
  bulkAction,
  type FleetJob,
  getFleetJob,
  getFleetJobOutput,
  haltFleetJob,
  listFleetJobMachines,
  listFleetJobs,
  pauseFleetJob,
  planFleetJob,
  resumeFleetJob,
  retryFleetJob,
  startFleetJob,
  stopFleetJob,
  undoFleetJob,
} from '@muster/contract/api/fleet-jobs'
import { AppError } from '@muster/contract/errors'
import { JobDraft } from '@muster/contract/fleet-jobs/job-draft'
import type { FleetJobState, JobCounts } from '@muster/rules/fleet-jobs/job-state'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { hasInverse } from './actions.ts'
import { needsApproval } from './approval.ts'
import { readBulkAction } from './bulk-action.ts'
import {
  approveJob,
  haltJobByUser,
  pauseJob,
  requireJob,
  resumeJob,
  retryFailed,
  stopJob,
} from './change-job.ts'
import { createJob } from './create-job.ts'
import type { FleetJobs } from './fleet-jobs.ts'
import { readGroupOutput } from './group-output.ts'
import { readMachines } from './list-machines.ts'
import { planJob, viewPlan } from './plan-job.ts'
import { countMachines, draftOf, type JobHead, selectHeads, selectMachines, sumCounts } from './queries.ts'
import { readJobDetail, viewJob } from './view.ts'

const LISTED_JOBS = 500

export function fleetJobRoutes(api: Api, ctx: Context, fleet: Fleet, jobs: FleetJobs): void {
  route(api, planFleetJob, async ({ body, query, caller }) => {
    const plan = await planJob(ctx, fleet, caller, body)
    return viewPlan(plan, query.limit, await needsApproval(ctx.db, caller, plan))
  })

  route(api, startFleetJob, async ({ body, caller }) => {
    const id = await createJob(ctx, fleet, caller, body)
    jobs.wake(id)
    return viewDetail(id, caller)
  })

  const list = new JobList(ctx)
  route(api, listFleetJobs, ({ query, caller }) => list.read(caller, query.state))

  route(api, getFleetJob, ({ params, caller }) => viewDetail(params.id, caller))

  route(api, listFleetJobMachines, async ({ params, query, caller }) => {
    await requireJob(ctx.db, params.id, caller)
    return readMachines(ctx.db, caller, params.id, query)
  })

  route(api, getFleetJobOutput, async ({ params, caller }) => {
    await requireJob(ctx.db, params.id, caller)
    return readGroupOutput(ctx, caller, params)
  })

  const changed = async (id: number, caller: Caller, change: Promise<void>) => {
    await change
    jobs.wake(id)
    return viewDetail(id, caller)
  }
  route(api, approveFleetJob, ({ params: { id }, caller }) =>
    changed(id, caller, approveJob(ctx, caller, id)),
  )
  route(api, pauseFleetJob, ({ params: { id }, body, caller }) =>
    changed(id, caller, pauseJob(ctx, caller, id, body)),
  )
  route(api, haltFleetJob, ({ params: { id }, caller }) =>
    changed(id, caller, haltJobByUser(ctx, caller, id)),
  )
  route(api, resumeFleetJob, ({ params: { id }, body, caller }) =>
    changed(id, caller, resumeJob(ctx, caller, id, body)),
  )
  route(api, stopFleetJob, ({ params: { id }, caller }) => changed(id, caller, stopJob(ctx, caller, id)))
  route(api, retryFleetJob, ({ params: { id }, body, caller }) =>
    changed(id, caller, retryFailed(ctx, caller, id, body.agents)),
  )

  route(api, undoFleetJob, async ({ params, query, body, caller }) => {
    const draft = await draftUndo(ctx, caller, params.id, body)
    const plan = await planJob(ctx, fleet, caller, draft)
    return { draft, plan: viewPlan(plan, query.limit, await needsApproval(ctx.db, caller, plan)) }
  })

  route(api, bulkAction, async ({ body, caller }) => {
    const id = await createJob(ctx, fleet, caller, { draft: readBulkAction(body), hash: undefined })
    jobs.wake(id)
    const job = await requireJob(ctx.db, id, caller)
    const { planned } = job
    return {
      detail: `${job.action_text} on ${planned === 1 ? '1 machine' : `${planned} machines`}.`,
      job: viewJob(job, sumCounts(await countMachines(ctx.db, id, caller))),
    }
  })

  async function viewDetail(id: number, caller: Caller) {
    return readJobDetail(ctx, caller, await requireJob(ctx.db, id, caller))
  }
}

/** Lists jobs with machines that the caller sees, newest first. */
class JobList {
  #db: Db
  /** Counts of ended jobs, valid for one version. Counting hundreds of large jobs takes a second. */
  #ended = new Map<number, { version: number; counts: JobCounts }>()

  constructor({ db }: Context) {
    this.#db = db
  }

  async read(caller: Caller, state: FleetJobState | undefined): Promise<FleetJob[]> {
    let query = selectHeads(this.#db).orderBy('id', 'desc').limit(LISTED_JOBS)
    if (state !== undefined) query = query.where('state', '=', state)
    if (!caller.scope.all)
      query = query.where(
        'id',
        'in',
        selectMachines(this.#db, caller).select('fleet_job_agents.job_id').distinct(),
      )
    const found: FleetJob[] = []
    for (const job of await query.execute()) {
      const known = caller.scope.all ? this.#ended.get(job.id) : undefined
      if (known?.version === job.version) found.push(viewJob(job, known.counts))
      else found.push(viewJob(job, await this.#count(caller, job)))
    }
    return found
  }

  async #count(caller: Caller, { id, state, version }: JobHead): Promise<JobCounts> {
    const counts = sumCounts(await countMachines(this.#db, id, caller))
    const isOver = (state === 'done' || state === 'stopped') && counts.running === 0
    if (isOver && caller.scope.all) {
      this.#ended.set(id, { version, counts })
      const [oldest] = this.#ended.keys()
      if (this.#ended.size > LISTED_JOBS && oldest !== undefined) this.#ended.delete(oldest)
    }
    // SQLite is synchronous: other calls run in between.
    await setImmediate()
    return counts
  }
}

/** The inverse of a job, for the machines that it has changed. */
async function draftUndo(
  ctx: Context,
  caller: Caller,
  id: number,
  { script, args }: { script?: number | undefined; args?: string[] | undefined },
): Promise<JobDraft> {
  const job = await requireJob(ctx.db, id, caller)
  const { action, rollback } = draftOf(ctx, job)
  const changed = await selectMachines(ctx.db, caller)
    .innerJoin('agents', 'agents.agent_id', 'fleet_job_agents.agent_id')
    .select('fleet_job_agents.agent_id')
    .where('job_id', '=', id)
    .where('fleet_job_agents.state', '=', 'succeeded')
    .orderBy('position')
    .execute()
  if (changed.length === 0) throw new AppError('conflict', 'No machine was changed.')
  const reverse = (inverse: unknown) =>
    JobDraft.parse({
      name: `Undo: ${job.name}`.slice(0, 255),
      target: { by: 'agents', agents: changed.map(({ agent_id }) => agent_id) },
      action: inverse,
    })
  if (script !== undefined) return reverse({ type: 'script', script, ...(args !== undefined && { args }) })
  if (rollback !== null) return reverse({ type: 'script', ...rollback })
  if (hasInverse(action)) return reverse({ type: 'undo', job: id })
  throw new AppError('conflict', 'This action has no inverse. Choose a script that reverts it.')
}
