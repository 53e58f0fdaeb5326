import { setImmediate } from 'node:timers/promises'
import type { JobDraft } from '@muster/contract/fleet-jobs/job-draft'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { insertRows } from '../../platform/database/json-rows.ts'
import { chunk } from '../../platform/database/sql.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { needsApproval } from './approval.ts'
import { type PlannedJob, planJob } from './plan-job.ts'
import { type WaveRecord, writeLog } from './queries.ts'

/**
 * Stores a job with its planned machines. Throws `changed_meanwhile` if the plan is not the one of this hash. The job
 * is stopped until all of its machines are stored, so an interrupted start leaves a job that never runs.
 */
export async function createJob(
  ctx: Context,
  fleet: Fleet,
  caller: Caller,
  { draft, hash, repeatOf = null }: { draft: JobDraft; hash: string | undefined; repeatOf?: number | null },
): Promise<number> {
  const plan = await planJob(ctx, fleet, caller, draft)
  if (hash !== undefined && hash !== plan.hash)
    throw new AppError(
      'changed_meanwhile',
      'The plan has changed meanwhile. Review the new plan, then start the job.',
    )
  if (plan.waves.length === 0)
    throw new AppError('invalid', 'No machine of this target can do this. The plan says why.', {
      fields: { target: ['Choose other machines.'] },
    })
  const isHeld = await needsApproval(ctx.db, caller, plan)
  const id = await insertJob(ctx, { caller, draft, plan, repeatOf })
  let position = 0
  const numbers = plan.waves.flatMap((size, i) => Array<number>(size).fill(i + 1))
  for (const rows of chunk(plan.rows)) {
    const values = rows.map(({ row, skip, dueAt }) => {
      const index = position
      position += 1
      return {
        job_id: id,
        agent_id: row.agent_id,
        position: index,
        hostname: row.hostname,
        client_name: row.client_name,
        site_name: row.site_name,
        wave: skip === undefined ? (numbers[index] ?? 1) : 0,
        state: skip === undefined ? ('waiting' as const) : ('skipped' as const),
        skip: skip?.code ?? null,
        reason: skip?.reason ?? null,
        text: plan.actionText,
        due_at: dueAt ?? null,
        output_group: skip === undefined ? '' : `skipped-${skip.code}`,
      }
    })
    await insertRows(ctx.db, 'fleet_job_agents', values).execute()
    // SQLite is synchronous: other calls run between two parts.
    await setImmediate()
  }
  await ctx.transaction(async (tx, emit) => {
    const state = isHeld ? ('approval' as const) : ('scheduled' as const)
    await tx.updateTable('fleet_jobs').set({ state, reason: null }).where('id', '=', id).execute()
    const count = numbers.length
    const machines = count === 1 ? '1 machine' : `${count} machines`
    await writeLog(tx, {
      job_id: id,
      at: ctx.now(),
      username: caller.username,
      text: isHeld
        ? `${caller.username} requested approval for ${machines}`
        : `${caller.username} started the job for ${machines}`,
    })
    await audit(tx, {
      caller,
      action: 'bulk_action',
      object_type: 'agent',
      message: `Started the job "${plan.name}" for ${machines}`,
      after: { job: id, action: draft.action, target: draft.target.by, hash: plan.hash, machines: count },
      at: ctx.now(),
      emit,
    })
    emit({ type: 'fleet_job.changed', ids: [id] })
  })
  return id
}

async function insertJob(
  ctx: Context,
  {
    caller,
    draft,
    plan,
    repeatOf,
  }: { caller: Caller; draft: JobDraft; plan: PlannedJob; repeatOf: number | null },
): Promise<number> {
  const now = ctx.now()
  const { start } = draft.schedule
  const startsAt = start.at === 'time' ? start.time : now.toISOString()
  const waves = plan.waves.map((size): WaveRecord => ({
    size,
    started_at: null,
    ended_at: null,
    gate: 'closed',
    gate_text: '',
    decided_at: null,
  }))
  const { id } = await ctx.db
    .insertInto('fleet_jobs')
    .values({
      name: plan.name,
      state: 'stopped',
      reason: 'The server stopped while the job was stored.',
      user_id: caller.userId,
      api_key_id: caller.apiKey?.id ?? null,
      username: caller.username,
      source: caller.source,
      action: draft.action.type,
      action_text: plan.actionText,
      draft: ctx.secrets.encrypt(JSON.stringify(draft)),
      hash: plan.hash,
      matched: plan.matched,
      planned: plan.waves.reduce((sum, size) => sum + size, 0),
      waves: JSON.stringify(waves),
      undo_of: draft.action.type === 'undo' ? draft.action.job : null,
      repeat_of: repeatOf,
      created_at: now.toISOString(),
      starts_at: startsAt,
      expires_at: plan.expiresAt.toISOString(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
