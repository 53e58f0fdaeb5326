import type {
  FleetJob,
  FleetJobDetail,
  JobGate,
  JobGroup,
  JobMachine,
  JobWave,
  SkipCode,
} from '@muster/contract/api/fleet-jobs'
import type { JobAction, JobDraft } from '@muster/contract/fleet-jobs/job-draft'
import { FLEET_JOB_STEPS, type JobCounts, refuseStep } from '@muster/rules/fleet-jobs/job-state'
import { sql, type SqlBool } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { WaveRecord } from '../../platform/database/tables/fleet-jobs.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { hasInverse, isForOffline, isRunAction } from './actions.ts'
import { seesWholeJob } from './change-job.ts'
import { phaseOf, readFirstRunning } from './list-machines.ts'
import {
  countMachines,
  countOffline,
  draftOf,
  type JobHead,
  type JobRow,
  noCounts,
  selectMachines,
  sumCounts,
  type WaveCounts,
  wavesOf,
} from './queries.ts'

const MINUTE_MS = 60_000
const SHOWN_MINUTES = 30
const MAX_GROUPS = 100
const MAX_LOG = 500

export function viewJob(job: JobHead, counts: JobCounts): FleetJob {
  return {
    id: job.id,
    name: job.name,
    action: job.action,
    action_text: job.action_text,
    state: job.state,
    reason: job.reason,
    created_by: job.username,
    created_at: job.created_at,
    approved_by: job.approved_by,
    approved_at: job.approved_at,
    starts_at: job.starts_at,
    started_at: job.started_at,
    finished_at: job.finished_at,
    expires_at: job.expires_at,
    counts,
    wave: job.wave,
    waves_count: wavesOf(job).length,
    undo_of: job.undo_of,
    repeat_of: job.repeat_of,
  }
}

/** Everything that the page of a job shows, limited to the machines that the caller sees. */
export async function readJobDetail(ctx: Context, caller: Caller, job: JobRow): Promise<FleetJobDetail> {
  const { db } = ctx
  const draft = draftOf(ctx, job)
  const byWave = await countMachines(db, job.id, caller)
  const counts = sumCounts(byWave)
  const away = isForOffline(draft.action) ? undefined : await countOffline(db, job.id, caller)
  const offline = away?.values().reduce((sum, count) => sum + count, 0) ?? 0
  const undo = undoTextOf(draft)
  const now = ctx.now()
  const isWhole = await seesWholeJob(db, job.id, caller)
  const perMinute = await countFinished(db, job.id, now)
  const runningNow = await readFirstRunning(db, caller, job.id)
  const [longest] = runningNow
  return {
    ...viewJob(job, counts),
    hash: job.hash,
    target: {
      by: draft.target.by,
      search: draft.target.by === 'search' ? draft.target.search : null,
      id: 'id' in draft.target ? draft.target.id : null,
    },
    target_text: await describeTarget(db, draft),
    schedule: draft.schedule,
    rollout: draft.rollout,
    input: maskInput(draft.action),
    script: draft.action.type === 'script' ? await findScript(db, draft.action.script) : null,
    rollback: await findRollback(db, draft),
    matched: job.matched,
    planned: job.planned,
    is_whole: isWhole,
    pause_after_wave: job.pause_after_wave === 1,
    waves: wavesOf(job).map((record, i, all) =>
      viewWave(draft, {
        record,
        number: i + 1,
        isLast: i + 1 === all.length,
        counts: byWave.find(({ wave }) => wave === i + 1),
      }),
    ),
    waiting: { turn: counts.waiting - offline, offline },
    in_progress: {
      ...(await countPhases(db, { job, counts, isRun: isRunAction(draft.action) }, caller)),
      longest_seconds:
        longest?.started_at == null
          ? null
          : Math.max(0, (now.getTime() - Date.parse(longest.started_at)) / 1000),
    },
    skipped: await sumSkipped(db, job.id, caller),
    groups: await readGroups(db, job.id, caller),
    running_now: runningNow,
    failures_counted: Math.max(0, counts.failed - job.forgiven),
    finished_per_minute: perMinute,
    minutes_left: minutesLeft(job, counts, offline, perMinute),
    history: await readLog(db, job.id, isWhole),
    steps: Object.fromEntries(
      FLEET_JOB_STEPS.map((step) => [
        step,
        { refused: refuseStep(step, { state: job.state, counts, hasInverse: undo !== null }) ?? null },
      ]),
      // One entry for each step.
    ) as FleetJobDetail['steps'],
    undo_text: undo,
  }
}

/** The effect of undo, as words; null = the action has no inverse. */
export function undoTextOf(draft: JobDraft): string | null {
  if (draft.rollback !== null) return 'Run the rollback script on the changed machines.'
  return hasInverse(draft.action) ? 'Restore what was there before on the changed machines.' : null
}

function viewWave(
  draft: JobDraft,
  given: { record: WaveRecord; number: number; isLast: boolean; counts: WaveCounts | undefined },
): JobWave {
  const { record, number, isLast, counts } = given
  const { wave: _, ...own } = counts ?? { wave: number, ...noCounts() }
  return {
    number,
    size: record.size,
    state: record.started_at === null ? 'not_started' : record.ended_at === null ? 'running' : 'finished',
    counts: own,
    started_at: record.started_at,
    finished_at: record.ended_at,
    gate: isLast ? null : viewGate(draft, record),
  }
}

function viewGate({ rollout }: JobDraft, record: WaveRecord): JobGate {
  const waitMs = Math.max(rollout.pause_minutes, rollout.watch_minutes) * MINUTE_MS
  const isClosed = record.gate === 'closed'
  return {
    state: isClosed
      ? record.ended_at === null
        ? 'closed'
        : 'watching'
      : record.gate === 'failed'
        ? 'failed'
        : 'passed',
    text:
      record.gate === 'failed'
        ? record.gate_text
        : record.gate === 'opened by a user'
          ? 'Opened by a user.'
          : isClosed
            ? describeGate(rollout)
            : 'Passed.',
    opens_at:
      isClosed && record.ended_at !== null
        ? new Date(Date.parse(record.ended_at) + waitMs).toISOString()
        : null,
    decided_at: record.decided_at,
  }
}

function describeGate({ conditions, pause_minutes, watch_minutes }: JobDraft['rollout']): string {
  const minutes = Math.max(pause_minutes, watch_minutes)
  const parts = [
    ...(conditions.success_percent > 0 ? [`at least ${conditions.success_percent} % succeed`] : []),
    ...(conditions.check === null ? [] : [`the check "${conditions.check}" passes`]),
    ...(conditions.no_new_alerts ? ['no new alert opens'] : []),
  ]
  const wait = minutes === 0 ? 'Opens after the wave' : `Opens ${minutes} min after the wave`
  return parts.length === 0 ? `${wait}.` : `${wait} if ${parts.join(' and ')}.`
}

/** `is:workstation`, `Client "Acme"`. */
export async function describeTarget(db: Db, { target, monitoring_type, plat }: JobDraft): Promise<string> {
  const more = [monitoring_type, plat].filter((one) => one !== null)
  const suffix = more.length === 0 ? '' : `, ${more.join(', ')}`
  switch (target.by) {
    case 'all':
      return `All machines${suffix}`
    case 'agents':
      return `${target.agents.length} chosen machines${suffix}`
    case 'search':
      return `${target.search}${suffix}`
    case 'client':
    case 'site':
    case 'tag': {
      const table = TABLES[target.by]
      const row = await db.selectFrom(table).select('name').where('id', '=', target.id).executeTakeFirst()
      return `${target.by.charAt(0).toUpperCase()}${target.by.slice(1)} "${row?.name ?? target.id}"${suffix}`
    }
  }
}

const TABLES = { client: 'clients', site: 'sites', tag: 'tags' } as const

async function findScript(db: Db, id: number): Promise<{ id: number; name: string } | null> {
  const script = await db.selectFrom('scripts').select(['id', 'name']).where('id', '=', id).executeTakeFirst()
  return script ?? null
}

async function findRollback(db: Db, { rollback }: JobDraft): Promise<FleetJobDetail['rollback']> {
  if (rollback === null) return null
  const script = await findScript(db, rollback.script)
  return script === null ? null : { script: script.id, name: script.name }
}

const SHOWN_TEXT = 10_000

/** Values of environment variables are masked, as in the audit log. A long file is cut. */
function maskInput(action: JobAction): JobAction {
  if (action.type === 'file') return { ...action, text: action.text.slice(0, SHOWN_TEXT) }
  if (!('env_vars' in action) || action.env_vars === undefined) return action
  return {
    ...action,
    env_vars: action.env_vars.map((text) => `${text.slice(0, text.indexOf('='))}=••••••`),
  }
}

/** Machines in progress by phase. Runs that have ended and are not counted yet are shown as running. */
async function countPhases(
  db: Db,
  { job, counts, isRun }: { job: JobRow; counts: JobCounts; isRun: boolean },
  caller: Caller,
): Promise<Omit<FleetJobDetail['in_progress'], 'longest_seconds'>> {
  const phases = { queued: 0, sent: 0, accepted: 0, running: 0, requested: 0 }
  if (!isRun) return { ...phases, requested: counts.running }
  const rows = await db
    .selectFrom('agent_history')
    .select('state')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('fleet_job_id', '=', job.id)
    .where('state', 'in', ['queued', 'sent', 'accepted'])
    .$if(!caller.scope.all, (query) =>
      query
        .innerJoin('agents', 'agents.agent_id', 'agent_history.agent_id')
        .innerJoin('sites', 'sites.id', 'agents.site_id')
        .where(visibleTo(caller)),
    )
    .groupBy('state')
    .execute()
  for (const { state, count } of rows) phases[phaseOf(state)] = Number(count)
  const { queued, sent, accepted } = phases
  return { ...phases, running: Math.max(0, counts.running - queued - sent - accepted) }
}

async function sumSkipped(db: Db, jobId: number, caller: Caller): Promise<FleetJobDetail['skipped']> {
  const rows = await selectMachines(db, caller)
    .select(['fleet_job_agents.skip', 'fleet_job_agents.reason'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', '=', jobId)
    .where('fleet_job_agents.state', '=', 'skipped')
    .groupBy(['fleet_job_agents.skip', 'fleet_job_agents.reason'])
    .orderBy('count', 'desc')
    .limit(50)
    .execute()
  return rows.map(({ skip, reason, count }) => ({
    // Written from SkipCode.
    code: (skip ?? 'unsuitable') as SkipCode,
    reason: reason ?? '',
    count: Number(count),
  }))
}

const GROUP_ORDER = { failed: 0, succeeded: 1, running: 2, waiting: 3, skipped: 4 }

/**
 * Machines with equal results: failed groups first, larger ones first. The groups are counted in an index; a group shows
 * what one of its machines has, which is the same for all.
 */
export async function readGroups(db: Db, jobId: number, caller: Caller): Promise<JobGroup[]> {
  const groups = selectMachines(db, caller)
    .select(['fleet_job_agents.state', 'output_group'])
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.max('execution_time').as('longest')])
    .where('job_id', '=', jobId)
    .groupBy(['fleet_job_agents.state', 'output_group'])
    .orderBy('count', 'desc')
    .limit(MAX_GROUPS)
  const shown = <Column extends 'line' | 'reason' | 'retcode'>(column: Column) =>
    selectMachines(db, caller)
      .select(`fleet_job_agents.${column}`)
      .where('job_id', '=', jobId)
      .where(
        sql<SqlBool>`fleet_job_agents.state = groups.state and fleet_job_agents.output_group = groups.output_group`,
      )
      .limit(1)
      .as(column)
  const rows = await db
    .selectFrom(groups.as('groups'))
    .selectAll()
    .select([shown('line'), shown('reason'), shown('retcode')])
    .execute()
  return rows
    .map((row): JobGroup => {
      const hasEnded = row.state === 'succeeded' || row.state === 'failed'
      return {
        id: row.output_group === '' ? row.state : row.output_group,
        state: row.state,
        count: Number(row.count),
        retcode: hasEnded ? row.retcode : null,
        line: lineOf(row.state, row),
        longest_seconds: row.longest,
      }
    })
    .toSorted((a, b) => GROUP_ORDER[a.state] - GROUP_ORDER[b.state] || b.count - a.count)
}

function lineOf(
  state: JobMachine['state'],
  { line, reason }: { line: string | null; reason: string | null },
): string {
  switch (state) {
    case 'running':
      return 'In progress'
    case 'waiting':
      return 'Waiting'
    case 'skipped':
      return reason ?? ''
    default:
      return line ?? ''
  }
}

async function countFinished(
  db: Db,
  jobId: number,
  now: Date,
): Promise<FleetJobDetail['finished_per_minute']> {
  const first = Math.floor(now.getTime() / MINUTE_MS) - SHOWN_MINUTES + 1
  const minute = sql<string>`substr(finished_at, 1, 16)`
  const rows = await db
    .selectFrom('fleet_job_agents')
    .select(minute.as('minute'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', '=', jobId)
    .where('finished_at', '>=', new Date(first * MINUTE_MS).toISOString())
    .where('state', 'in', ['succeeded', 'failed'])
    .groupBy(minute)
    .execute()
  const counts = new Map(rows.map((row) => [row.minute, Number(row.count)]))
  return Array.from({ length: SHOWN_MINUTES }, (_, i) => {
    const at = new Date((first + i) * MINUTE_MS).toISOString()
    return { at, count: counts.get(at.slice(0, 16)) ?? 0 }
  })
}

/** From the last five whole minutes; null = nothing finishes. */
function minutesLeft(
  job: JobRow,
  counts: JobCounts,
  offline: number,
  perMinute: readonly { count: number }[],
): number | null {
  if (job.state !== 'running') return null
  const last = perMinute.slice(-6, -1)
  const rate = last.reduce((sum, { count }) => sum + count, 0) / last.length
  const left = counts.waiting - offline + counts.running
  return rate === 0 || left === 0 ? null : Math.ceil(left / rate)
}

/** Lines about failures name machines, so they are for callers who see all of them. */
async function readLog(db: Db, jobId: number, isWhole: boolean): Promise<FleetJobDetail['history']> {
  const rows = await db
    .selectFrom('fleet_job_log')
    .select(['at', 'username', 'kind', 'text'])
    .where('job_id', '=', jobId)
    .$if(!isWhole, (query) => query.where('kind', '=', 'info'))
    .orderBy('id', 'desc')
    .limit(MAX_LOG)
    .execute()
  return rows.toReversed()
}
