import {
  type AlertCause,
  type AlertType,
  type listAlertCauses,
  MAX_ALERTS_OF_CAUSE,
} from '@muster/contract/api/alerts'
import type { Parsed } from '@muster/contract/endpoint'
import type { Severity } from '@muster/contract/fields'
import { sql, type SqlBool } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Scope } from '../../platform/http/caller.ts'
import { nameAlertedCheck } from './check-alerts.ts'
import { isListed, wasListed } from './list-alerts.ts'

type Filter = Parsed<typeof listAlertCauses>['body']
interface Asked {
  caller: { scope: Scope }
  filter: Filter
}

/** Many custom alerts may each have a message of its own. */
const MAX_GROUPS = 5000
const MAX_NAME = 200

/** The causes of unresolved alerts, worst first: overdue, error, warning; inside each those with the most machines. */
export async function listCauses({ db }: Pick<Context, 'db'>, asked: Asked): Promise<AlertCause[]> {
  const causes = new Map<string, Cause>()
  for (const group of await findGroups(db, asked)) {
    const { kind, name } = nameOf(group)
    const key = keyOf(kind, group.severity, name)
    const cause = causes.get(key) ?? emptyCause({ key, kind, name, severity: group.severity })
    causes.set(key, cause)
    addGroup(cause, group)
  }
  return [...causes.values()].toSorted(compareCauses).map(viewCause)
}

/** A cause whatever its severity: `check Service spooler`. */
export const subjectOf = ({ kind, name }: Pick<AlertCause, 'kind' | 'name'>): string => `${kind} ${name}`

/** The subjects of the causes of an earlier time. */
export async function listPastSubjects(
  { db }: Pick<Context, 'db'>,
  { caller, filter, at }: Asked & { at: string },
): Promise<Set<string>> {
  const { still, resolvedLater } = wasListed(caller, filter, at)
  const rows = await selectNamed(db)
    .where(still)
    .union(selectNamed(db).where(resolvedLater))
    .limit(MAX_GROUPS)
    .execute()
  return new Set(rows.map((row) => subjectOf(nameOf(row))))
}

/** The unresolved alerts of a cause that match a filter, the newest first. An unknown cause has none. */
export async function findAlertsOfCause(
  { db }: Pick<Context, 'db'>,
  { caller, filter, cause }: Asked & { cause: string },
): Promise<number[]> {
  const [kind = '', severity = ''] = cause.split(':')
  const rows = await selectNamed(db)
    .select('alerts.id')
    .where(isListed(caller, filter))
    .where('alerts.alert_type', '=', TYPES.get(kind) ?? 'custom')
    .where(sql<SqlBool>`alerts.severity = ${severity}`)
    .orderBy('alerts.alert_time', 'desc')
    .orderBy('alerts.id', 'desc')
    .execute()
  // A policy's check has equal settings on every machine.
  const names = new Map<string, string>()
  const ids: number[] = []
  for (const row of rows) {
    const same = `${row.is_site} ${row.check_type} ${row.script_name} ${row.settings} ${row.text}`
    const key = names.get(same) ?? keyOfAlert(row)
    names.set(same, key)
    if (key === cause) ids.push(row.id)
    if (ids.length === MAX_ALERTS_OF_CAUSE) break
  }
  return ids
}

/** The key of the cause of an unresolved alert. */
export async function findCause({ db }: Pick<Context, 'db'>, alertId: number): Promise<string | null> {
  const row = await selectNamed(db)
    .where('alerts.id', '=', alertId)
    .where('alerts.state', '!=', 'resolved')
    .executeTakeFirst()
  return row === undefined ? null : keyOfAlert(row)
}

const TYPES = new Map<string, AlertType>([
  ['overdue', 'availability'],
  ['site_down', 'availability'],
  ['check', 'check'],
  ['task', 'task'],
])

const IS_SITE = sql<number>`case when alerts.agent_id is null then 1 else 0 end`
const TEXT = sql<string>`case when alerts.alert_type in ('check', 'availability') then '' else alerts.message end`

function joinNamed(db: Db) {
  return db
    .selectFrom('alerts')
    .leftJoin('agents', 'agents.agent_id', 'alerts.agent_id')
    .leftJoin('sites', (join) => join.on(sql<SqlBool>`sites.id = coalesce(agents.site_id, alerts.site_id)`))
    .leftJoin('checks', 'checks.id', 'alerts.check_id')
    .leftJoin('scripts', 'scripts.id', 'checks.script_id')
}

/** Alerts with the fields that name their causes. */
function selectNamed(db: Db) {
  return joinNamed(db)
    .select(['alerts.alert_type', 'alerts.severity', 'checks.check_type', 'checks.settings'])
    .select(['scripts.name as script_name', IS_SITE.as('is_site'), TEXT.as('text')])
}

/** Alerts grouped by what they are about and by client. */
function findGroups(db: Db, { caller, filter }: Asked) {
  return joinNamed(db)
    .leftJoin('clients', 'clients.id', 'sites.client_id')
    .leftJoin(
      (eb) =>
        eb
          .selectFrom('alert_notices')
          .where('state', '=', 'waiting')
          .groupBy('alert_id')
          .select((one) => ['alert_id', one.fn.min('due_at').as('next_at')])
          .as('planned'),
      (join) => join.onRef('planned.alert_id', '=', 'alerts.id'),
    )
    .where('alerts.open_cause', 'is not', null)
    .where(isListed(caller, filter))
    .select(['alerts.alert_type', 'alerts.severity', 'checks.check_type', 'checks.settings'])
    .select(['scripts.name as script_name', IS_SITE.as('is_site'), TEXT.as('text')])
    .select('clients.name as client_name')
    .select((eb) => [
      eb.fn.countAll<number>().as('alerts'),
      eb.fn.count<number>('alerts.agent_id').distinct().as('machines'),
      eb.fn
        .count<number>('alerts.agent_id')
        .distinct()
        .filterWhere('agents.monitoring_type', '=', 'server')
        .as('servers'),
      eb.fn.min('agents.hostname').as('hostname'),
      eb.fn.min('alerts.alert_time').as('since'),
      eb.fn.max('alerts.alert_time').as('newest'),
      eb.fn.countAll<number>().filterWhere('alerts.state', '=', 'acknowledged').as('acknowledged'),
      eb.fn.countAll<number>().filterWhere('alerts.state', '=', 'snoozed').as('snoozed'),
      eb.fn.max('alerts.snooze_until').filterWhere('alerts.state', '=', 'snoozed').as('snooze_until'),
      // Empty for the others.
      eb.fn.max('alerts.acknowledged_by').as('acknowledged_by'),
      eb.fn
        .min('alerts.acknowledged_by')
        .filterWhere('alerts.state', '=', 'acknowledged')
        .as('other_acknowledged_by'),
      eb.fn.min('planned.next_at').as('next_at'),
    ])
    .groupBy(['alerts.alert_type', 'alerts.severity', 'checks.check_type', 'checks.settings', 'scripts.name'])
    .groupBy(['clients.id', 'clients.name', IS_SITE, TEXT])
    .orderBy(sql`case alerts.severity when 'error' then 0 when 'warning' then 1 else 2 end`)
    .limit(MAX_GROUPS)
    .execute()
}

type Group = Awaited<ReturnType<typeof findGroups>>[number]
type Named = Pick<Group, 'alert_type' | 'is_site' | 'check_type' | 'settings' | 'script_name' | 'text'>

const TASK = /^Task "(.*?)": /s

function nameOf(named: Named): Pick<AlertCause, 'kind' | 'name'> {
  const { alert_type, check_type, settings, script_name, text } = named
  switch (alert_type) {
    case 'availability':
      return Number(named.is_site) === 1
        ? { kind: 'site_down', name: 'Site down' }
        : { kind: 'overdue', name: 'Machine overdue' }
    case 'check':
      return check_type === null || settings === null
        ? { kind: 'check', name: 'Deleted check' }
        : { kind: 'check', name: cut(nameAlertedCheck({ check_type, settings, script_name })) }
    case 'task':
      return { kind: 'task', name: cut(`Task ${TASK.exec(text)?.[1] ?? text}`) }
    case 'custom':
      return { kind: 'custom', name: cut(text) }
  }
}

// Not within a character of two units, which no request could name.
const cut = (name: string) => name.slice(0, MAX_NAME).toWellFormed()

/** `Service spooler` of `check:error:Service spooler`. */
export const nameInKey = (key: string) => key.split(':').slice(2).join(':')

const keyOf = (kind: AlertCause['kind'], severity: Severity, name: string) => `${kind}:${severity}:${name}`

function keyOfAlert(alert: Named & { severity: Severity }): string {
  const { kind, name } = nameOf(alert)
  return keyOf(kind, alert.severity, name)
}

type Cause = Omit<AlertCause, 'clients' | 'more_clients' | 'acknowledged_by'> & {
  byClient: Map<string, number>
  users: Set<string>
}

const emptyCause = (named: Pick<Cause, 'key' | 'kind' | 'name' | 'severity'>): Cause => ({
  ...named,
  alerts: 0,
  machines: 0,
  servers: 0,
  hostname: '',
  since: '9999-12-31T23:59:59.999Z',
  newest: '',
  acknowledged: 0,
  snoozed: 0,
  snooze_until: null,
  next_notice: null,
  byClient: new Map(),
  users: new Set(),
})

/** A machine belongs to one client, so the machines of different groups of a cause differ. */
function addGroup(cause: Cause, group: Group): void {
  const alerts = Number(group.alerts)
  cause.alerts += alerts
  cause.machines += Number(group.machines)
  cause.servers += Number(group.servers)
  cause.hostname = cause.machines === 1 ? (group.hostname ?? '') : ''
  cause.acknowledged += Number(group.acknowledged)
  cause.snoozed += Number(group.snoozed)
  if (group.since !== null && group.since < cause.since) cause.since = group.since
  if (group.newest !== null && group.newest > cause.newest) cause.newest = group.newest
  if (group.snooze_until !== null && group.snooze_until > (cause.snooze_until ?? ''))
    cause.snooze_until = group.snooze_until
  if (group.next_at !== null && group.next_at < (cause.next_notice ?? '9')) cause.next_notice = group.next_at
  for (const user of [group.acknowledged_by, group.other_acknowledged_by])
    if (user !== null && user !== '') cause.users.add(user)
  const client = group.client_name
  if (client !== null) cause.byClient.set(client, (cause.byClient.get(client) ?? 0) + alerts)
}

const RANKS: Record<Severity, number> = { error: 1, warning: 2, info: 3 }

function compareCauses(a: Cause, b: Cause): number {
  return (
    rankOf(a) - rankOf(b) ||
    b.machines - a.machines ||
    b.servers - a.servers ||
    (a.since < b.since ? 1 : a.since > b.since ? -1 : a.key < b.key ? -1 : 1)
  )
}

const rankOf = ({ kind, severity }: Cause) =>
  kind === 'site_down' || kind === 'overdue' ? 0 : RANKS[severity]

function viewCause({ byClient, users, ...cause }: Cause): AlertCause {
  const clients = [...byClient].toSorted(([, a], [, b]) => b - a)
  const [user = ''] = users
  return {
    ...cause,
    clients: clients.slice(0, 2).map(([name, alerts]) => ({ name, alerts })),
    more_clients: Math.max(0, clients.length - 2),
    acknowledged_by: users.size === 1 ? user : '',
  }
}
