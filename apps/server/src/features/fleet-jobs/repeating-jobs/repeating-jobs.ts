import type { RepeatingJob } from '@muster/contract/api/repeating-jobs'
import { AppError } from '@muster/contract/errors'
import { JobDraft, type JobRepeat } from '@muster/contract/fleet-jobs/job-draft'
import { findRepeatProblem, nextRepeat, type RepeatTime } from '@muster/rules/fleet-jobs/job-repeat'
import { wallClockAt } from '@muster/rules/schedules/zone-time'
import type { Selectable } from 'kysely'
import type { Context } from '../../../context.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { laterThan, lockRow, refuseStale, requireRow } from '../../../platform/database/change-row.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { RepeatingJobsTable } from '../../../platform/database/tables/fleet-jobs.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { findUserCaller } from '../../users/sessions/find-caller.ts'
import { requireMayAct } from '../actions.ts'
import { createJob } from '../create-job.ts'
import { planJob } from '../plan-job.ts'
import { describeTarget } from '../view.ts'

type Row = Selectable<RepeatingJobsTable>

/** A time that was missed by more than this has no job: nobody expects it any more. */
const MAX_LATE_MS = 3_600_000
/** The last time zone is this far behind UTC: earlier local times are over everywhere. */
const LAST_ZONE_MS = 12 * 3_600_000

/** All for callers who see every client, otherwise their own. */
export async function findRepeatingJobs(ctx: Context, caller: Caller): Promise<RepeatingJob[]> {
  const rows = await selectVisible(ctx.db, caller).orderBy('id').execute()
  return Promise.all(rows.map((row) => viewRepeating(ctx, row)))
}

/** Returns a repeating job with its draft, for a caller who may change it. */
export async function readRepeatingJob(
  ctx: Context,
  caller: Caller,
  id: number,
): Promise<RepeatingJob & { draft: JobDraft }> {
  const row = await requireOwn(ctx, caller, id)
  return { ...(await viewRepeating(ctx, row)), draft: draftOf(ctx, row) }
}

/** Throws if the draft cannot be planned now. */
export async function addRepeatingJob(
  ctx: Context,
  fleet: Fleet,
  caller: Caller,
  { draft: given, repeat }: { draft: JobDraft; repeat: JobRepeat },
): Promise<RepeatingJob> {
  refuseRepeat(repeat)
  const draft = asRepeated(given)
  const plan = await planJob(ctx, fleet, caller, draft)
  const now = ctx.now()
  const row = await ctx.transaction(async (tx, emit) => {
    const inserted = await tx
      .insertInto('repeating_jobs')
      .values({
        name: plan.name,
        user_id: caller.userId,
        api_key_id: caller.apiKey?.id ?? null,
        username: caller.username,
        source: caller.source,
        action: draft.action.type,
        action_text: plan.actionText,
        draft: ctx.secrets.encrypt(JSON.stringify(draft)),
        ...repeat,
        ...timeColumns(firstTime(repeat, now)),
        created_at: now.toISOString(),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const after = { repeating_job: inserted.id, ...repeat, action: draft.action, target: draft.target.by }
    await audit(tx, {
      caller,
      action: 'add',
      object_type: 'bulk',
      message: `Repeated the job "${plan.name}" by the cron expression ${repeat.cron}`,
      after,
      at: now,
      emit,
    })
    emit({ type: 'repeating_job.changed', ids: [inserted.id] })
    return inserted
  })
  return viewRepeating(ctx, row)
}

interface RepeatingJobEdit {
  id: number
  /** Undefined = unchanged. */
  draft?: JobDraft | undefined
  repeat?: JobRepeat | undefined
  /** The version that the editor loaded. Undefined = overwrite any version. */
  modified?: string | undefined
}

/** From then on it runs with the rights of the caller. Throws if the draft cannot be planned now. */
export async function editRepeatingJob(
  ctx: Context,
  fleet: Fleet,
  caller: Caller,
  { id, draft: given, repeat, modified }: RepeatingJobEdit,
): Promise<void> {
  if (repeat !== undefined) refuseRepeat(repeat)
  const draft = asRepeated(given ?? draftOf(ctx, await requireOwn(ctx, caller, id)))
  const plan = await planJob(ctx, fleet, caller, draft)
  const now = ctx.now()
  await ctx.transaction(async (tx, emit) => {
    await lockRow(tx, 'repeating_jobs', 'id', id)
    const before = await requireOwn(ctx, caller, id, tx)
    refuseStale({ name: before.name, modified: versionOf(before) }, modified)
    const times = repeat ?? { cron: before.cron, clock: before.clock }
    const isMoved = times.cron !== before.cron || times.clock !== before.clock
    const values = {
      name: plan.name,
      user_id: caller.userId,
      api_key_id: caller.apiKey?.id ?? null,
      username: caller.username,
      source: caller.source,
      action: draft.action.type,
      action_text: plan.actionText,
      draft: ctx.secrets.encrypt(JSON.stringify(draft)),
      ...times,
      ...(isMoved && timeColumns(before.paused === 1 ? undefined : firstTime(times, now))),
      modified: laterThan(versionOf(before), now),
      created_by: before.created_by ?? before.username,
    }
    await tx.updateTable('repeating_jobs').set(values).where('id', '=', id).execute()
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'bulk',
      message: `Changed the repeating job "${before.name}"`,
      before: auditedOf(before, draftOf(ctx, before)),
      after: auditedOf({ ...before, ...values }, draft),
      at: now,
      emit,
    })
    emit({ type: 'repeating_job.changed', ids: [id] })
  })
}

/** The fields of a repeating job in audit rows; `rights_of` is the user with whose rights it runs. */
function auditedOf({ id, name, cron, clock, username }: Row, draft: JobDraft) {
  const { name: _, ...rest } = draft
  return { repeating_job: id, name, cron, clock, rights_of: username, ...rest }
}

function refuseRepeat({ cron }: JobRepeat): void {
  const problem = findRepeatProblem(cron)
  if (problem !== undefined) throw new AppError('invalid', problem, { fields: { 'repeat.cron': [problem] } })
}

function asRepeated(draft: JobDraft): JobDraft {
  if (draft.action.type === 'undo') throw new AppError('invalid', 'Undo a job once, not repeatedly.')
  return { ...draft, schedule: { ...draft.schedule, start: { at: 'now' } } }
}

export async function pauseRepeatingJob(
  ctx: Context,
  caller: Caller,
  { id, paused }: { id: number; paused: boolean },
): Promise<void> {
  const row = await requireOwn(ctx, caller, id)
  const now = ctx.now()
  if ((row.paused === 1) === paused) return
  const verb = paused ? 'Paused' : 'Resumed'
  await ctx.transaction(async (tx, emit) => {
    const times = timeColumns(paused ? undefined : firstTime(row, now))
    await tx
      .updateTable('repeating_jobs')
      .set({ paused: paused ? 1 : 0, ...times })
      .where('id', '=', id)
      .execute()
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'bulk',
      message: `${verb} the repeating job "${row.name}"`,
      before: { repeating_job: id, paused: row.paused === 1 },
      after: { repeating_job: id, paused },
      at: now,
      emit,
    })
    emit({ type: 'repeating_job.changed', ids: [id] })
  })
}

export async function removeRepeatingJob(ctx: Context, caller: Caller, id: number): Promise<void> {
  const row = await requireOwn(ctx, caller, id)
  await ctx.transaction(async (tx, emit) => {
    await tx.deleteFrom('repeating_jobs').where('id', '=', id).execute()
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'bulk',
      message: `Deleted the repeating job "${row.name}"`,
      before: { repeating_job: id, cron: row.cron, clock: row.clock },
      at: ctx.now(),
      emit,
    })
    emit({ type: 'repeating_job.changed', ids: [id] })
  })
}

/** Plans the jobs whose time has come. */
export async function startDueJobs(ctx: Context, fleet: Fleet): Promise<void> {
  const due = await ctx.db
    .selectFrom('repeating_jobs')
    .selectAll()
    .where('paused', '=', 0)
    .where('next_at', '<=', ctx.now().toISOString())
    .orderBy('next_at')
    .execute()
  for (const row of due) await startOne(ctx, fleet, row)
}

/**
 * The next time is stored before the job is planned: a server that stops in between loses one time, and runs none
 * twice.
 */
async function startOne(ctx: Context, fleet: Fleet, row: Row): Promise<void> {
  const now = ctx.now()
  const time = nextRepeat(row, serverZone(), beforeOf(row))
  const after =
    row.clock === 'machine' && row.next_local !== null
      ? Math.max(Date.parse(`${row.next_local}Z`), now.getTime() - LAST_ZONE_MS)
      : now.getTime()
  const next = nextRepeat(row, serverZone(), after)
  // An edit since the job was found counts.
  const taken = await ctx.db
    .updateTable('repeating_jobs')
    .set({ ...timeColumns(next), last_at: now.toISOString(), last_job_id: null, last_problem: null })
    .where('id', '=', row.id)
    .where('paused', '=', 0)
    .where('next_at', '=', row.next_at)
    .returningAll()
    .executeTakeFirst()
  if (taken === undefined || time === undefined) return
  const columns = await plan(ctx, fleet, taken, { time, now }).then(
    (last_job_id) => ({ last_job_id }),
    (error: unknown) => {
      if (!(error instanceof AppError)) throw error
      return { last_problem: error.message }
    },
  )
  await ctx.db.updateTable('repeating_jobs').set(columns).where('id', '=', row.id).execute()
  ctx.emit({ type: 'repeating_job.changed', ids: [row.id] })
}

async function plan(
  ctx: Context,
  fleet: Fleet,
  row: Row,
  { time, now }: { time: RepeatTime; now: Date },
): Promise<number> {
  if (time.local === null && now.getTime() - time.planMs > MAX_LATE_MS)
    throw new AppError('conflict', 'The server was not running at this time.')
  const caller = await findUserCaller(ctx, row)
  if (caller === undefined)
    throw new AppError('not_allowed', `${row.username} may no longer do this on machines.`)
  const draft = draftOf(ctx, row)
  const { schedule } = draft
  return createJob(ctx, fleet, caller, {
    draft: {
      ...draft,
      schedule: {
        ...schedule,
        start: time.local === null ? { at: 'now' } : { at: 'machine_time', time: `${time.local}:00` },
        expires_hours: Math.min(schedule.expires_hours, time.hours),
      },
    },
    hash: undefined,
    repeatOf: row.id,
  })
}

const draftOf = ({ secrets }: Context, row: Row): JobDraft =>
  JobDraft.parse(JSON.parse(secrets.decrypt(row.draft)))

const versionOf = ({ modified, created_at }: Row): string => modified ?? created_at

/** Just before the time that is due, as nextRepeat counts it. */
function beforeOf(row: Row): number {
  const at = row.clock === 'machine' && row.next_local !== null ? `${row.next_local}Z` : (row.next_at ?? '')
  return Date.parse(at) - 1
}

/** By the clocks of machines, the first time is the next one on the clock of the server. */
function firstTime(repeat: JobRepeat, now: Date): RepeatTime | undefined {
  const zone = serverZone()
  return nextRepeat(
    repeat,
    zone,
    repeat.clock === 'server' ? now.getTime() : wallClockAt(zone, now.getTime()),
  )
}

function timeColumns(time: RepeatTime | undefined): Pick<Row, 'next_at' | 'next_local'> {
  return {
    next_at: time === undefined ? null : new Date(time.planMs).toISOString(),
    next_local: time?.local ?? null,
  }
}

function serverZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

function selectVisible(db: Db, { scope, userId }: Caller) {
  return db
    .selectFrom('repeating_jobs')
    .selectAll()
    .$if(!scope.all, (query) => query.where('user_id', '=', userId))
}

/** Returns a repeating job that the caller may change. Throws `not_found` if it is not visible. */
async function requireOwn(ctx: Context, caller: Caller, id: number, db: Db = ctx.db): Promise<Row> {
  const row = requireRow(
    await selectVisible(db, caller).where('id', '=', id).executeTakeFirst(),
    'repeating job',
  )
  await requireMayAct(db, caller, draftOf(ctx, row).action)
  return row
}

async function viewRepeating(ctx: Context, row: Row): Promise<RepeatingJob> {
  const { id, name, action, action_text, cron, clock, next_local, last_at, last_problem, created_at } = row
  const last =
    row.last_job_id === null
      ? undefined
      : await ctx.db
          .selectFrom('fleet_jobs')
          .select('id')
          .where('id', '=', row.last_job_id)
          .executeTakeFirst()
  return {
    id,
    name,
    action,
    action_text,
    target_text: await describeTarget(ctx.db, draftOf(ctx, row)),
    cron,
    clock,
    paused: row.paused === 1,
    next_at: row.next_at,
    next_local,
    last_at,
    last_job: last?.id ?? null,
    last_problem,
    created_by: row.created_by ?? row.username,
    created_at,
    edited_by: row.modified === null ? null : row.username,
    modified: versionOf(row),
  }
}
