import type { AgentRow } from '@muster/contract/api/agents'
import type { SkipCode } from '@muster/contract/api/fleet-jobs'
import type { JobSchedule } from '@muster/contract/fleet-jobs/job-draft'
import { instantOf, isMachineZone } from '@muster/rules/schedules/zone-time'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import { findAgentsWithSite } from '../agents/queries.ts'
import { readFacts } from '../agents/view.ts'
import { findOpenings } from '../maintenance/find-openings.ts'
import { draftOf, findJob } from './queries.ts'

const HOUR_MS = 3_600_000
/** How long after its time a machine may still start. */
const LATE_MS = 60_000

export interface DueTimes {
  /** When a machine may start; undefined = at once. */
  dueAt: Map<string, string | undefined>
  /** Why a machine can never start. */
  problems: Map<string, string>
  expiresAt: Date
}

/** When each machine of a job may start, by its own clock and its maintenance windows, and when the job expires. */
export async function readDueTimes(
  db: Db,
  { start, in_windows, expires_hours }: JobSchedule,
  rows: readonly Pick<AgentRow, 'agent_id'>[],
  now: Date,
): Promise<DueTimes> {
  const ids = rows.map(({ agent_id }) => agent_id)
  const times: DueTimes = { dueAt: new Map(), problems: new Map(), expiresAt: now }
  const startMs = start.at === 'time' ? Math.max(now.getTime(), Date.parse(start.time)) : now.getTime()
  let lastMs = startMs
  if (start.at === 'machine_time') {
    const instants = await readOwnTimes(db, ids, start.time)
    for (const id of ids) {
      const atMs = instants.get(id)
      if (atMs === undefined) times.problems.set(id, 'Its time zone is unknown.')
      else if (atMs < now.getTime() - LATE_MS) times.problems.set(id, 'This time is over on its clock.')
      else {
        times.dueAt.set(id, new Date(atMs).toISOString())
        lastMs = Math.max(lastMs, atMs)
      }
    }
  }
  times.expiresAt = new Date(lastMs + expires_hours * HOUR_MS)
  if (in_windows) await moveIntoWindows(db, times, { ids, startMs })
  return times
}

/** The instants of a local time on the clocks of machines. Those without a known time zone are missing. */
async function readOwnTimes(db: Db, ids: readonly string[], time: string): Promise<Map<string, number>> {
  const instants = new Map<string, number>()
  const wallMs = Date.parse(`${time.replace(/Z$/, '')}Z`)
  for (const some of chunk(ids))
    for (const agent of await findAgentsWithSite(db, some)) {
      const zone = agent.time_zone ?? readFacts(agent)?.time_zone ?? ''
      if (isMachineZone(zone)) instants.set(agent.agent_id, instantOf(zone, wallMs))
    }
  return instants
}

async function moveIntoWindows(
  db: Db,
  { dueAt, problems, expiresAt }: DueTimes,
  { ids, startMs }: { ids: readonly string[]; startMs: number },
): Promise<void> {
  // Machines with the same start are read together.
  const starts = Map.groupBy(
    ids.filter((id) => !problems.has(id)),
    (id) => dueAt.get(id) ?? new Date(startMs).toISOString(),
  )
  for (const [start, some] of starts) {
    const openings = await findOpenings(db, some, new Date(start))
    for (const id of some) {
      const opening = openings.get(id)
      if (opening === undefined) problems.set(id, NO_WINDOW)
      else if (opening === null) problems.set(id, 'Its maintenance windows are over.')
      else if (opening.startMs >= expiresAt.getTime())
        problems.set(id, 'Its next maintenance window opens after the job expires.')
      else dueAt.set(id, new Date(Math.max(opening.startMs, Date.parse(start))).toISOString())
    }
  }
}

const NO_WINDOW = 'No maintenance window covers it.'

export interface ClosedMachines {
  /** When the windows open next, by machine. */
  postponed: Map<string, string>
  skips: { agentId: string; code: SkipCode; reason: string }[]
}

/** Which of the machines that would start now have no open window. Windows may have changed since the plan. */
export async function findClosed(db: Db, ids: readonly string[], now: Date): Promise<ClosedMachines> {
  const closed: ClosedMachines = { postponed: new Map(), skips: [] }
  const openings = await findOpenings(db, ids, now)
  for (const agentId of ids) {
    const opening = openings.get(agentId)
    if (opening == null) {
      const reason = opening === null ? 'Its maintenance windows are over.' : NO_WINDOW
      closed.skips.push({ agentId, code: 'unsuitable', reason })
    } else if (opening.startMs > now.getTime())
      closed.postponed.set(agentId, new Date(opening.startMs).toISOString())
  }
  return closed
}

/** Maintenance windows have changed: reads again when the waiting machines of a job may start. */
export async function refreshDueTimes(ctx: Context, jobId: number): Promise<void> {
  const job = await findJob(ctx.db, jobId)
  if (job === undefined) return
  const waiting = await ctx.db
    .selectFrom('fleet_job_agents')
    .select(['agent_id', 'due_at'])
    .where('job_id', '=', jobId)
    .where('state', '=', 'waiting')
    .execute()
  const { schedule } = draftOf(ctx, job)
  const { dueAt } = await readDueTimes(ctx.db, schedule, waiting, ctx.now())
  // A machine without a window is skipped when it would start.
  const changed = waiting.filter(({ agent_id, due_at }) => (dueAt.get(agent_id) ?? null) !== due_at)
  for (const [due, rows] of Map.groupBy(changed, ({ agent_id }) => dueAt.get(agent_id) ?? null))
    for (const some of chunk(rows.map(({ agent_id }) => agent_id)))
      await ctx.db
        .updateTable('fleet_job_agents')
        .set({ due_at: due })
        .where('job_id', '=', jobId)
        .where('state', '=', 'waiting')
        .where('agent_id', 'in', some)
        .execute()
}
