import {
  CHANGE_KINDS,
  getTimeline,
  listDroppedResults,
  listMachineChanges,
  MAX_OF_KIND,
  type TimelineEntry,
  TimelineKind,
} from '@muster/contract/api/timeline'
import type { Output } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Permission } from '@muster/contract/permissions'
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
  findJobActions,
  findOtherAlerts,
  findPolicyVersions,
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
  route(api, listMachineChanges, async ({ params, query, caller }) => {
    const machine = await requireAgent(ctx.db, params.agent_id, caller)
    return readChanges(ctx, caller, { machine, ...query, to: query.to ?? nowSeconds(ctx) })
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

type ReadContext = Pick<Context, 'db' | 'now' | 'hooks'>
type Timeline = Output<typeof getTimeline>

interface Asked {
  machine: { id: number; agent_id: string }
  from: number
  to: number
}

/** The visible events of a machine, newest first. */
async function readTimeline(ctx: ReadContext, caller: Caller, asked: Asked): Promise<Timeline> {
  const range = rangeOf(ctx, asked)
  const all = await readKinds(sourcesOf(ctx, caller, asked.machine, range), TimelineKind.options)
  return {
    entries: all.flatMap((kind) => kind.slice(0, MAX_OF_KIND)).toSorted((a, b) => b.from - a.from),
    cut: all.flatMap((kind) => (kind.length > MAX_OF_KIND && kind[0] ? [kind[0].kind] : [])),
  }
}

/** A page of the changes of a machine, newest first. */
async function readChanges(
  ctx: ReadContext,
  caller: Caller,
  { limit, ...asked }: Asked & { limit: number },
): Promise<Output<typeof listMachineChanges>> {
  const range = rangeOf(ctx, asked)
  const all = await readKinds(sourcesOf(ctx, caller, asked.machine, range), CHANGE_KINDS)
  // A kind that is cut has older entries, too.
  const known = Math.max(
    range.from,
    ...all.flatMap((kind) => (kind.length > MAX_OF_KIND ? [kind[MAX_OF_KIND - 1]?.from ?? 0] : [])),
  )
  const changes = all
    .flat()
    .filter(({ from }) => from >= known && from <= range.to)
    .toSorted((a, b) => b.from - a.from)
  const last = changes[limit - 1]?.from ?? known
  const next = last > range.from ? last - 1 : null
  return { changes: changes.filter(({ from }) => from >= last), next }
}

function rangeOf(ctx: ReadContext, { machine, from, to }: Asked): TimelineRange {
  if (to < from) {
    throw new AppError('invalid', 'The time range ends before it starts. Swap its ends.', {
      fields: { to: ['Choose a time after "from".'] },
    })
  }
  // Later instants are invalid, and nothing is known of the future.
  const end = Math.min(to, nowSeconds(ctx) + 86_400)
  return {
    agentId: machine.agent_id,
    from: Math.min(from, end),
    to: end,
    fromInstant: instantOf(Math.min(from, LAST)),
    toInstant: endInstantOf(Math.min(to, LAST)),
  }
}

type Sources = Record<TimelineKind, () => Promise<TimelineEntry[]>>

function readKinds(sources: Sources, kinds: readonly TimelineKind[]): Promise<TimelineEntry[][]> {
  return Promise.all(kinds.map((kind) => sources[kind]()))
}

/** Where the events of each kind come from; nothing from where the caller may not look. */
function sourcesOf(
  ctx: ReadContext,
  caller: Caller,
  machine: Asked['machine'],
  range: TimelineRange,
): Sources {
  const { db } = ctx
  const ifMay = async <Row>(permission: Permission, find: () => Promise<Row[]>) =>
    mayDo(caller, permission) ? find() : []
  return {
    check: async () =>
      (await ifMay('can_list_checks', () => findFailures(db, range))).map((row) => ({
        ...entry('check', row.check_id, row.at, row.ended_at === null ? null : Number(row.ended_at)),
        text: row.name,
        severity: row.severity,
      })),
    alert: async () =>
      (await ifMay('can_list_alerts', () => findOtherAlerts(db, range))).map((row) => ({
        ...entry('alert', row.id, secondsOf(row.alert_time), endOf(row.resolved_on)),
        text: row.message,
        severity: row.severity,
      })),
    run: async () =>
      (await ifMay('can_list_agent_history', () => findRuns(db, range))).map((row) => ({
        ...entry('run', row.id, secondsOf(row.started_at ?? row.time), endOf(row.finished_at)),
        text: row.type === 'script_run' ? (row.script_name ?? 'a script') : row.command,
        severity: hasFailed(row) ? 'error' : null,
        by: row.username,
      })),
    job: async () =>
      (await ifMay('can_list_agent_history', () => findJobActions(db, range))).map((row) => ({
        ...entry('job', row.job_id, secondsOf(row.started_at ?? ''), endOf(row.finished_at)),
        text: row.reason === null ? row.action_text : `${row.action_text}: ${row.reason}`,
        severity: row.state === 'failed' ? 'error' : null,
        by: row.username,
      })),
    task: async () =>
      (await ifMay('can_list_autotasks', () => findTaskRuns(db, range))).map((row) => ({
        ...entry('task', row.task_id, secondsOf(row.started_at), endOf(row.ended_at)),
        text: row.state === 'missed' ? `${row.name}: ${row.more_info}` : row.name,
        severity: row.status === 'failing' ? row.alert_severity : null,
      })),
    maintenance: async () =>
      (await findPeriods(db, machine.agent_id, range)).map(({ from, to, reason }) => ({
        ...entry('maintenance', null, from, to),
        text: reason === '' ? 'Maintenance mode was on' : `Maintenance mode was on: ${reason}`,
      })),
    dropped: async () => {
      const find = () => findDropped(db, machine.agent_id, { ...range, limit: MAX_OF_KIND + 1 })
      return (await ifMay('can_list_checks', find)).map(({ from, to, count }) => ({
        ...entry('dropped', null, from, to),
        text: `${count} check ${count === 1 ? 'result' : 'results'} dropped: the server was unreachable for too long`,
        severity: 'warning',
      }))
    },
    change: async () =>
      (await ifMay('can_view_auditlogs', () => findChanges(db, range))).map((row) => {
        const at = secondsOf(row.entry_time)
        return { ...entry('change', row.id, at, at), text: row.message, by: row.username }
      }),
    policy: async () => {
      const find = async () => {
        const applied = await ctx.hooks.findAppliedPolicies(db, machine.agent_id)
        if (applied.length === 0) return []
        return findPolicyVersions(
          db,
          applied.map(({ id }) => id),
          range,
        )
      }
      return (await ifMay('can_list_automation_policies', find)).map((row) => {
        const at = secondsOf(row.at)
        const saved = `Saved version ${row.version} of the policy "${row.name}"`
        const text = row.reason === '' ? saved : `${saved}: ${row.reason}`
        return { ...entry('policy', row.policy_id, at, at), text, by: row.by_user }
      })
    },
    remote: async () =>
      (await ifMay('can_view_auditlogs', () => findRemoteSessions(db, range))).map((row) => ({
        ...entry('remote', null, secondsOf(row.started_at), endOf(row.ended_at)),
        text: `Opened ${aTool(row.tool)}`,
        by: row.username,
      })),
    reboot: () => findReboots(ctx, machine, range),
    system: async () =>
      (await findSystemChanges(db, range)).map(({ at, text }) => ({
        ...entry('system', null, Number(at), Number(at)),
        text,
      })),
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

const nowSeconds = (ctx: Pick<Context, 'now'>) => Math.floor(ctx.now().getTime() / 1000)
const instantOf = (seconds: number) => new Date(seconds * 1000).toISOString()
/** The last instant of a second. */
const endInstantOf = (seconds: number) => new Date(seconds * 1000 + 999).toISOString()
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
