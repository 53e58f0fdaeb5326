import { isFinal, HISTORY_STATES } from '@muster/rules/agents/history-state'
import type { JobAgentState, JobCounts } from '@muster/rules/fleet-jobs/job-state'
import { type JobDraft, JobDraft as Draft } from '@muster/contract/fleet-jobs/job-draft'
import { type Selectable, sql, type SqlBool } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type {
  FleetJobAgentsTable,
  FleetJobLogTable,
  FleetJobsTable,
  WaveRecord,
} from '../../platform/database/tables/fleet-jobs.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'

export type JobRow = Selectable<FleetJobsTable>
export type JobAgentRow = Selectable<FleetJobAgentsTable>
export type { WaveRecord }

export const FINAL_RUNS = HISTORY_STATES.filter(isFinal)

export function findJob(db: Db, id: number): Promise<JobRow | undefined> {
  return db.selectFrom('fleet_jobs').selectAll().where('id', '=', id).executeTakeFirst()
}

/** A job without its draft, which has the ids of all chosen machines. */
export type JobHead = Omit<JobRow, 'draft'>

const HEAD = [
  'id',
  'name',
  'state',
  'reason',
  'user_id',
  'api_key_id',
  'username',
  'source',
  'action',
  'action_text',
  'hash',
  'matched',
  'planned',
  'wave',
  'waves',
  'pause_after_wave',
  'forgiven',
  'forgiven_in_wave',
  'undo_of',
  'repeat_of',
  'created_at',
  'approved_by',
  'approved_at',
  'starts_at',
  'started_at',
  'finished_at',
  'expires_at',
  'version',
] as const satisfies (keyof JobHead)[]

export function selectHeads(db: Db) {
  return db.selectFrom('fleet_jobs').select(HEAD)
}

export function findJobHead(db: Db, id: number): Promise<JobHead | undefined> {
  return selectHeads(db).where('id', '=', id).executeTakeFirst()
}

export const wavesOf = (job: Pick<JobRow, 'waves'>): WaveRecord[] =>
  // Written by create-job.ts and advance-job.ts.
  JSON.parse(job.waves) as WaveRecord[]

/** Reads the draft as this version knows it: later fields have their defaults. */
export function draftOf({ secrets }: Pick<Context, 'secrets'>, job: Pick<JobRow, 'draft'>): JobDraft {
  return Draft.parse(JSON.parse(secrets.decrypt(job.draft)))
}

/** Jobs that may have work now or later. */
export function findOpenJobs(db: Db): Promise<{ id: number }[]> {
  return db.selectFrom('fleet_jobs').select('id').where('state', 'in', ['scheduled', 'running']).execute()
}

/** The machines of jobs that the caller sees. Those that were deleted remain for unlimited callers. */
export function selectMachines(db: Db, { scope }: { scope: Scope }) {
  return db
    .selectFrom('fleet_job_agents')
    .$if(!scope.all, (query) =>
      query.where(
        'fleet_job_agents.agent_id',
        'in',
        db
          .selectFrom('agents')
          .innerJoin('sites', 'sites.id', 'agents.site_id')
          .select('agents.agent_id')
          .where(visibleTo({ scope })),
      ),
    )
}

export type WaveCounts = JobCounts & { wave: number }

const EVERYTHING = { scope: { all: true } } as const

/** Counts by wave. Reads the index only, because it is read for every step of a job. */
export async function countMachines(
  db: Db,
  jobId: number,
  caller: { scope: Scope } = EVERYTHING,
): Promise<WaveCounts[]> {
  const rows = await selectMachines(db, caller)
    .select(['wave', 'state'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', '=', jobId)
    .groupBy(['state', 'wave'])
    .execute()
  const waves = new Map<number, WaveCounts>()
  for (const { wave, state, count } of rows) {
    const counts = waves.get(wave) ?? { wave, ...noCounts() }
    counts[state] = Number(count)
    waves.set(wave, counts)
  }
  return [...waves.values()].toSorted((a, b) => a.wave - b.wave)
}

/** Waiting machines that are not connected, by wave. Reads those that are offline, which are fewer than those that wait. */
export async function countOffline(
  db: Db,
  jobId: number,
  caller: { scope: Scope } = EVERYTHING,
): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('agents')
    // SQLite keeps the order of a cross join.
    .crossJoin('fleet_job_agents')
    .$if(!caller.scope.all, (query) =>
      query.innerJoin('sites', 'sites.id', 'agents.site_id').where(visibleTo(caller)),
    )
    .select('wave')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('agents.connected', '=', 0)
    .where('job_id', '=', jobId)
    .whereRef('fleet_job_agents.agent_id', '=', 'agents.agent_id')
    .where('state', '=', 'waiting')
    .groupBy('wave')
    .execute()
  return new Map(rows.map((row) => [row.wave, Number(row.count)]))
}

export const noCounts = (): JobCounts => ({ waiting: 0, running: 0, succeeded: 0, failed: 0, skipped: 0 })

export function sumCounts(all: readonly JobCounts[]): JobCounts {
  const sum = noCounts()
  for (const counts of all)
    // noCounts() has exactly these keys.
    for (const state of Object.keys(sum) as JobAgentState[]) sum[state] += counts[state]
  return sum
}

/** Waiting machines of waves that have started, whose time has come and that are connected (unless `isForOffline`) or deleted. */
export function findCandidates(
  db: Db,
  job: Pick<JobRow, 'id' | 'wave'>,
  { now, limit, isForOffline }: { now: string; limit: number; isForOffline: boolean },
) {
  return db
    .selectFrom('fleet_job_agents')
    .leftJoin('agents', 'agents.agent_id', 'fleet_job_agents.agent_id')
    .select(['fleet_job_agents.agent_id', 'fleet_job_agents.tries', 'agents.site_id'])
    .where('job_id', '=', job.id)
    .where('state', '=', 'waiting')
    .where('wave', '<=', job.wave)
    .where((eb) => eb.or([eb('due_at', 'is', null), eb('due_at', '<=', now)]))
    .$if(!isForOffline, (query) => query.where(sql<SqlBool>`coalesce(agents.connected, 1) = 1`))
    .orderBy('wave')
    .orderBy('position')
    .limit(limit)
    .execute()
}

/** Running machines, by site. */
export async function countRunning(db: Db, jobId: number): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('fleet_job_agents')
    .innerJoin('agents', 'agents.agent_id', 'fleet_job_agents.agent_id')
    .select('agents.site_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', '=', jobId)
    .where('state', '=', 'running')
    .groupBy('agents.site_id')
    .execute()
  return new Map(rows.map((row) => [row.site_id, Number(row.count)]))
}

export async function countStartedSince(db: Db, jobId: number, since: string): Promise<number> {
  const { count } = await db
    .selectFrom('fleet_job_agents')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', '=', jobId)
    .where('started_at', '>', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Adds lines to the history of a job. */
export async function writeLog(
  tx: Db,
  line: { job_id: number; at: Date; username: string; text: string; kind?: FleetJobLogTable['kind'] },
): Promise<void> {
  const { at, kind = 'info', ...rest } = line
  await tx
    .insertInto('fleet_job_log')
    .values({ ...rest, kind, at: at.toISOString() })
    .execute()
}
