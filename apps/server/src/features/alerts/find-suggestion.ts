import type { AlertSuggestion } from '@muster/contract/api/alerts'
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { graphSeries } from '../../samples/graph-series.ts'
import { findSeries } from '../../samples/queries.ts'
import { isVisible, type ListedAlert } from './list-alerts.ts'

const HOUR_MS = 3_600_000
const MAX_EARLIER = 20
const MAX_ACTIONS = 500
const SHOWN = 3
/** How far from the action its effect is measured. */
const AROUND_SECONDS = 1800

type Kind = AlertSuggestion['kind']

/** An action that a user took on a machine within the hour before an alert resolved automatically. */
interface Taken {
  kind: Kind
  name: string
  script_id: number | null
  at: string
  alert: Earlier
}

/**
 * What helped before: the action that most often preceded the end of an earlier alert of this check, on this machine or,
 * for a policy's check, on another one. Null without such an action. Actions that the role may not see do not count.
 */
export async function findSuggestion(
  ctx: Context,
  caller: Caller,
  alert: ListedAlert,
): Promise<AlertSuggestion | null> {
  if (alert.check_id === null) return null
  const earlier = await findEarlier(ctx.db, caller, alert)
  if (earlier.length === 0) return null
  const taken = [
    ...(mayDo(caller, 'can_list_agent_history') ? await findRuns(ctx.db, earlier) : []),
    ...(mayDo(caller, 'can_view_auditlogs') ? await findAudited(ctx.db, earlier) : []),
  ]
  const best = chooseBest(taken)
  const [newest] = best
  if (newest === undefined) return null
  const { kind, name, script_id } = newest
  const resolved = []
  for (const one of best.slice(0, SHOWN)) resolved.push(await describe(ctx, one))
  return { kind, name, script_id, resolved }
}

type Earlier = Awaited<ReturnType<typeof findEarlier>>[number]

/** Alerts of this check that resolved by themselves, the newest first. */
async function findEarlier(db: Db, caller: Caller, { id, check_id }: ListedAlert) {
  const rows = await db
    .selectFrom('alerts')
    .innerJoin('agents', 'agents.agent_id', 'alerts.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select(['alerts.id', 'alerts.agent_id', 'alerts.check_id', 'alerts.alert_time', 'alerts.resolved_on'])
    .select(['agents.id as agent', 'agents.hostname'])
    .where(isVisible(caller))
    .where('alerts.id', '!=', id)
    .where('alerts.state', '=', 'resolved')
    .where('alerts.resolved_by', '=', '')
    .where((eb) =>
      eb(
        'alerts.check_id',
        'in',
        eb
          .selectFrom('checks')
          .innerJoin('checks as this', (join) => join.on('this.id', '=', check_id))
          .select('checks.id')
          .where((same) =>
            same.or([
              same('checks.id', '=', check_id),
              same.and([
                same('checks.policy_id', '=', same.ref('this.policy_id')),
                same('checks.policy_check', '=', same.ref('this.policy_check')),
              ]),
            ]),
          ),
      ),
    )
    .orderBy('alerts.resolved_on', 'desc')
    .limit(MAX_EARLIER)
    .execute()
  return rows.flatMap(({ agent_id, resolved_on, ...row }) => {
    if (agent_id === null || resolved_on === null) return []
    const hourBefore = new Date(Date.parse(resolved_on) - HOUR_MS).toISOString()
    // Nothing helps before the problem.
    return { ...row, agent_id, resolved_on, from: row.alert_time > hourBefore ? row.alert_time : hourBefore }
  })
}

/** Scripts that succeeded. Those that alert templates started run again anyway. */
async function findRuns(db: Db, earlier: readonly Earlier[]): Promise<Taken[]> {
  const at = sql<string>`coalesce(finished_at, time)`
  const rows = await db
    .selectFrom('agent_history')
    .select(['agent_id', 'script_id', 'script_name', at.as('at')])
    .where('type', '=', 'script_run')
    .where('state', '=', 'done')
    .where('retcode', '=', 0)
    .where('id', 'not in', (eb) =>
      eb.selectFrom('alert_actions').select('history_id').where('history_id', 'is not', null).$castTo<{
        history_id: number
      }>(),
    )
    .where((eb) =>
      eb.or(
        earlier.map(({ agent_id, from, resolved_on }) =>
          eb.and([eb('agent_id', '=', agent_id), eb(at, '>=', from), eb(at, '<=', resolved_on)]),
        ),
      ),
    )
    .limit(MAX_ACTIONS)
    .execute()
  return rows.flatMap(({ script_name, ...row }) =>
    script_name === null ? [] : toTaken(earlier, { ...row, kind: 'script', name: script_name }),
  )
}

/** `^Restarted the service "ssh"`: failed ones begin with `Failed to`. */
const AUDITED: readonly [Kind, RegExp][] = [
  ['service', /^Restarted the service "(.*)"$/s],
  ['task', /^Ran the task "(.*)" on "/s],
  ['reboot', /^Restarted the machine()/],
]

async function findAudited(db: Db, earlier: readonly Earlier[]): Promise<Taken[]> {
  const rows = await db
    .selectFrom('audit_log')
    .select(['agent_id', 'message', 'entry_time as at'])
    .where('action', 'in', ['modify', 'task_run'])
    .where((eb) =>
      eb.or(
        earlier.map(({ agent_id, from, resolved_on }) =>
          eb.and([
            eb('agent_id', '=', agent_id),
            eb('entry_time', '>=', from),
            eb('entry_time', '<=', resolved_on),
          ]),
        ),
      ),
    )
    .orderBy('id', 'desc')
    .limit(MAX_ACTIONS)
    .execute()
  return rows.flatMap(({ agent_id, message, at }) => {
    for (const [kind, pattern] of AUDITED) {
      const name = pattern.exec(message)?.[1]
      if (name !== undefined) return toTaken(earlier, { agent_id, at, kind, name, script_id: null })
    }
    return []
  })
}

function toTaken(
  earlier: readonly Earlier[],
  { agent_id, ...action }: Omit<Taken, 'alert'> & { agent_id: string | null },
): Taken[] {
  return earlier
    .filter((one) => one.agent_id === agent_id && action.at >= one.from && action.at <= one.resolved_on)
    .map((alert) => ({ ...action, alert }))
}

/** The last time that the most helpful action was taken before each alert ended, the newest alert first. */
function chooseBest(taken: readonly Taken[]): Taken[] {
  const byAction = Map.groupBy(taken, ({ kind, name, script_id }) => `${kind} ${script_id} ${name}`)
  const candidates = [...byAction.values()].map((times) => {
    const last = new Map<number, Taken>()
    for (const one of times.toSorted((a, b) => (a.at < b.at ? -1 : 1))) last.set(one.alert.id, one)
    return [...last.values()].toSorted((a, b) => (a.alert.resolved_on > b.alert.resolved_on ? -1 : 1))
  })
  return (
    candidates.toSorted((a, b) => b.length - a.length || ((a[0]?.at ?? '') > (b[0]?.at ?? '') ? -1 : 1))[0] ??
    []
  )
}

/** When it helped, how fast, and the value of the check before and after it. */
async function describe(ctx: Context, { alert, at }: Taken): Promise<AlertSuggestion['resolved'][number]> {
  const actedAt = Math.floor(Date.parse(at) / 1000)
  const endedAt = Math.ceil(Date.parse(alert.resolved_on) / 1000)
  const rows = (await findSeries(ctx.db, [alert.check_id ?? 0])).slice(0, 1)
  const range = { from: actedAt - AROUND_SECONDS, to: endedAt + AROUND_SECONDS }
  const [series] = (await graphSeries(ctx, { agent: alert.agent, rows }, range)).series
  const before = series?.points.findLast(([time]) => time <= actedAt)?.[1]
  const after = series?.points.find(([time]) => time >= endedAt - 1)?.[1]
  return {
    alert_id: alert.id,
    hostname: alert.hostname,
    at: alert.resolved_on,
    minutes: Math.round((endedAt - actedAt) / 60),
    effect:
      series === undefined || before === undefined || after === undefined
        ? null
        : { name: series.name, unit: series.unit, before, after },
  }
}
