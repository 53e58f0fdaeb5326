import {
  getTimeline,
  listDroppedResults,
  MAX_OF_KIND,
  type TimelineEntry,
  type TimelineKind,
} from '@muster/contract/api/timeline'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { findDropped } from '../checks/dropped-results.ts'
import { DAY } from '../../samples/partitions.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { findPeriods } from '../maintenance/record-periods.ts'
import { aTool } from '../remote/tool-text.ts'
import { graphSeries } from '../../samples/graph-series.ts'
import { findMachineSeries } from '../../samples/queries.ts'
import {
  findChanges,
  findFailures,
  findOtherAlerts,
  findRemoteSessions,
  findRuns,
  findSystemChanges,
  findTaskRuns,
  type TimelineRange,
} from './queries.ts'

export function timelineRoutes(api: Api, ctx: Context): void {
  route(api, getTimeline, async ({ params, query, caller }) => {
    const machine = await requireAgent(ctx.db, params.agent_id, caller)
    return readTimeline(ctx, caller, { machine, ...query })
  })
  route(api, listDroppedResults, async ({ params, caller }) => {
    const { agent_id } = await requireAgent(ctx.db, params.agent_id, caller)
    const to = Math.ceil(ctx.now().getTime() / 1000)
    const found = await findDropped(ctx.db, agent_id, { from: to - 30 * DAY, to, limit: 100 })
    return found.map(({ count, ...range }) => ({
      from: new Date(range.from * 1000).toISOString(),
      to: new Date(range.to * 1000).toISOString(),
      count,
    }))
  })
}

type Timeline = { entries: TimelineEntry[]; cut: TimelineKind[] }

/** The visible events of a machine, newest first. */
async function readTimeline(
  ctx: Pick<Context, 'db' | 'now'>,
  caller: Caller,
  { machine, from, to }: { machine: { id: number; agent_id: string }; from: number; to: number },
): Promise<Timeline> {
  if (to < from) {
    throw new AppError('invalid', 'The time range ends before it starts. Swap its ends.', {
      fields: { to: ['Choose a time after "from".'] },
    })
  }
  const range: TimelineRange = {
    agentId: machine.agent_id,
    from,
    // Later instants are invalid, and nothing is known of the future.
    to: Math.min(to, Math.floor(ctx.now().getTime() / 1000) + 86_400),
    fromInstant: instantOf(Math.min(from, LAST)),
    toInstant: instantOf(Math.min(to, LAST)),
  }
  const { db } = ctx
  const [failures, alerts, runs, tasks, changes, reboots, system, periods, drops, sessions] =
    await Promise.all([
      mayDo(caller, 'can_list_checks') ? findFailures(db, range) : [],
      mayDo(caller, 'can_list_alerts') ? findOtherAlerts(db, range) : [],
      mayDo(caller, 'can_list_agent_history') ? findRuns(db, range) : [],
      mayDo(caller, 'can_list_autotasks') ? findTaskRuns(db, range) : [],
      mayDo(caller, 'can_view_auditlogs') ? findChanges(db, range) : [],
      findReboots(ctx, machine, range),
      findSystemChanges(db, range),
      findPeriods(db, machine.agent_id, range),
      mayDo(caller, 'can_list_checks')
        ? findDropped(db, machine.agent_id, { ...range, limit: MAX_OF_KIND + 1 })
        : [],
      mayDo(caller, 'can_view_auditlogs') ? findRemoteSessions(db, range) : [],
    ])
  const all: TimelineEntry[][] = [
    failures.map((row) => ({
      ...entry('check', row.check_id, row.at, row.ended_at === null ? null : Number(row.ended_at)),
      text: row.name,
      severity: row.severity,
    })),
    alerts.map((row) => ({
      ...entry('alert', row.id, secondsOf(row.alert_time), endOf(row.resolved_on)),
      text: row.message,
      severity: row.severity,
    })),
    runs.map((row) => ({
      ...entry('run', row.id, secondsOf(row.started_at ?? row.time), endOf(row.finished_at)),
      text: row.type === 'script_run' ? (row.script_name ?? 'a script') : row.command,
      severity: hasFailed(row) ? 'error' : null,
      by: row.username,
    })),
    tasks.map((row) => ({
      ...entry('task', row.task_id, secondsOf(row.started_at), endOf(row.ended_at)),
      text: row.state === 'missed' ? `${row.name}: ${row.more_info}` : row.name,
      severity: row.status === 'failing' ? row.alert_severity : null,
    })),
    periods.map(({ from: start, to: end, reason }) => ({
      ...entry('maintenance', null, start, end),
      text: reason === '' ? 'Maintenance mode was on' : `Maintenance mode was on: ${reason}`,
    })),
    drops.map(({ from: start, to: end, count }) => ({
      ...entry('dropped', null, start, end),
      text: `${count} check ${count === 1 ? 'result' : 'results'} dropped: the server was unreachable for too long`,
      severity: 'warning',
    })),
    changes.map((row) => {
      const at = secondsOf(row.entry_time)
      return { ...entry('change', row.id, at, at), text: row.message, by: row.username }
    }),
    sessions.map((row) => ({
      ...entry('remote', null, secondsOf(row.started_at), endOf(row.ended_at)),
      text: `Opened ${aTool(row.tool)}`,
      by: row.username,
    })),
    reboots,
    system.map(({ at, text }) => ({ ...entry('system', null, Number(at), Number(at)), text })),
  ]
  return {
    entries: all.flatMap((kind) => kind.slice(0, MAX_OF_KIND)).toSorted((a, b) => b.from - a.from),
    cut: all.flatMap((kind) => (kind.length > MAX_OF_KIND && kind[0] ? [kind[0].kind] : [])),
  }
}

/** The end of the year 9999, in seconds. */
const LAST = 253_402_300_799

function entry(kind: TimelineKind, id: number | null, from: number, to: number | null): TimelineEntry {
  return { kind, from, to, text: '', severity: null, by: '', id }
}

function hasFailed({ state, retcode }: { state: string; retcode: number | null }): boolean {
  return state === 'failed' || (state === 'done' && retcode !== 0)
}

const instantOf = (seconds: number) => new Date(seconds * 1000).toISOString()
const secondsOf = (instant: string) => Math.floor(Date.parse(instant) / 1000)
const endOf = (instant: string | null) => (instant === null ? null : secondsOf(instant))

/** Starts of the system, detected where the uptime decreased. Exact while raw samples are kept. */
async function findReboots(
  ctx: Pick<Context, 'db' | 'now'>,
  machine: { id: number; agent_id: string },
  range: { from: number; to: number },
): Promise<TimelineEntry[]> {
  const series = await findMachineSeries(ctx.db, [machine.agent_id])
  const rows = series.filter(({ name }) => name === 'uptime')
  const graph = await graphSeries(ctx, { agent: machine.id, rows }, range)
  const points = graph.series[0]?.points ?? []
  return points.flatMap(([at, , least], index) => {
    const before = points[index - 1]
    if (before === undefined || least >= before[2]) return []
    const from = Math.max(before[0], Math.round(at - least))
    return [{ kind: 'reboot' as const, from, to: from, text: 'Started', severity: null, by: '', id: null }]
  })
}
