import type { AlertPart, listAlerts } from '@muster/contract/api/alerts'
import type { Parsed } from '@muster/contract/endpoint'
import { sql, type SqlBool } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { contains } from '../../platform/database/sql.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'

/** `ids`: only these. */
type Filter = Omit<Parsed<typeof listAlerts>['body'], 'cause'> & { ids?: readonly number[] }
type Viewer = { scope: Scope }
type Severity = 'info' | 'warning' | 'error'

const DAY_MS = 86_400_000
const DEFAULT_PAGE_SIZE = 50
/** Maximum without paging. The count shows that there are more. */
const MAX_COUNT = 1000

/** Alerts with their names. Every query must add `.where(isVisible(caller))`. */
function selectAlerts(db: Db) {
  return joinSites(db)
    .leftJoin('clients', 'clients.id', 'sites.client_id')
    .selectAll('alerts')
    .select(['agents.hostname', 'sites.id as place_id', 'sites.name as site_name'])
    .select(['sites.client_id', 'clients.name as client_name'])
}

function joinSites(db: Db) {
  return db
    .selectFrom('alerts')
    .leftJoin('agents', 'agents.agent_id', 'alerts.agent_id')
    .leftJoin('sites', (join) => join.on(sql<SqlBool>`sites.id = coalesce(agents.site_id, alerts.site_id)`))
}

/** Alerts without machine and site are visible to everyone. */
export function isVisible(caller: Viewer) {
  return caller.scope.all
    ? sql<SqlBool>`1 = 1`
    : sql<SqlBool>`(${visibleTo(caller)} or (alerts.agent_id is null and alerts.site_id is null))`
}

export type ListedAlert = Awaited<ReturnType<typeof findAlert>> & {}

export function findAlert(db: Db, caller: Viewer, id: number) {
  return selectAlerts(db).where('alerts.id', '=', id).where(isVisible(caller)).executeTakeFirst()
}

export function findAlerts(db: Db, caller: Viewer, ids: number[]) {
  return selectAlerts(db).where('alerts.id', 'in', ids).where(isVisible(caller)).execute()
}

/**
 * One page and the total. Open alerts come first, by severity; resolved ones follow, newest first. The two are queried
 * separately, because there may be many resolved ones, whose index has their order.
 */
export async function listPage(db: Db, caller: Viewer, filter: Filter, now: Date) {
  const selection = { caller, filter, now }
  const current = await countSeverities(db, { ...selection, part: 'current' })
  const past =
    filter.top === undefined && includesResolved(filter)
      ? await countSeverities(db, { ...selection, part: 'past' })
      : new Map<Severity, number>()
  const currentCount = sum(current)
  const { from, size } = pageOf(filter)
  const alerts: ListedAlert[] = []
  if (from < currentCount) {
    alerts.push(
      ...(await select(db, { ...selection, part: 'current' })
        .orderBy(sql`case alerts.severity when 'error' then 0 when 'warning' then 1 else 2 end`)
        .orderBy('alerts.alert_time', 'desc')
        .orderBy('alerts.id', 'desc')
        .limit(size)
        .offset(from)
        .execute()),
    )
  }
  if (alerts.length < size && past.size > 0) {
    alerts.push(
      ...(await select(db, { ...selection, part: 'past' })
        .orderBy('alerts.alert_time', 'desc')
        .orderBy('alerts.id', 'desc')
        .limit(size - alerts.length)
        .offset(Math.max(0, from - currentCount))
        .execute()),
    )
  }
  const worst = (['error', 'warning', 'info'] as const).find((name) => current.has(name) || past.has(name))
  return { alerts_count: currentCount + sum(past), worst: worst ?? null, alerts }
}

const includesResolved = ({ stateFilter, resolvedFilter }: Filter): boolean =>
  stateFilter === undefined ? resolvedFilter === true : ['resolved', 'all'].includes(stateFilter)

/** Number of alerts in each part. */
export async function countParts(
  db: Db,
  caller: Viewer,
  filter: Filter,
  now: Date,
): Promise<Record<AlertPart, number>> {
  const selection = { caller, filter: { ...filter, stateFilter: 'all' as const }, now }
  const current = await joinNeeded(db, selection)
    .where(whereOf({ ...selection, part: 'current' }))
    .select(({ fn }) => {
      const open = () => fn.countAll<number>().filterWhere('alerts.hold', 'is', null)
      return [
        fn.countAll<number>().as('unresolved'),
        open().as('open'),
        open().filterWhere('alerts.state', '=', 'acknowledged').as('acknowledged'),
        open().filterWhere('alerts.state', '=', 'snoozed').as('snoozed'),
      ]
    })
    .executeTakeFirstOrThrow()
  const resolved = sum(await countSeverities(db, { ...selection, part: 'past' }))
  const [unresolved, open] = [Number(current.unresolved), Number(current.open)]
  return {
    open,
    acknowledged: Number(current.acknowledged),
    snoozed: Number(current.snoozed),
    suppressed: unresolved - open,
    resolved,
    all: unresolved + resolved,
  }
}

function pageOf({ top, page, page_size }: Filter): { from: number; size: number } {
  if (top !== undefined) return { from: 0, size: top }
  if (page === undefined) return { from: 0, size: page_size ?? MAX_COUNT }
  const size = page_size ?? DEFAULT_PAGE_SIZE
  return { from: (page - 1) * size, size }
}

type Part = 'current' | 'past' | { resolvedAfter: string }

interface Selection {
  caller: Viewer
  filter: Filter
  now: Date
  part: Part
}

function select(db: Db, selection: Selection) {
  return selectAlerts(db).where(whereOf(selection))
}

function whereOf({ caller, ...selection }: Selection) {
  return sql<SqlBool>`${sql.join([isVisible(caller), ...conditions(selection)], sql` and `)}`
}

/** Whether an unresolved alert matches a filter. The query joins agents and sites. */
export function isListed(caller: Viewer, filter: Omit<Filter, 'timeFilter'>) {
  return whereOf({ caller, filter, now: new Date(0), part: 'current' })
}

/**
 * The two ways in which an alert was unresolved at an earlier time: it still is, or it was resolved later. Each has an
 * index. Its state of then, such as snoozed, is not known.
 */
export function wasListed(caller: Viewer, filter: Omit<Filter, 'timeFilter'>, at: string) {
  const opened = sql<SqlBool>`alerts.alert_time <= ${at} and alerts.hold is null`
  const resolvedLater = whereOf({ caller, filter, now: new Date(0), part: { resolvedAfter: at } })
  return {
    still: sql<SqlBool>`${opened} and ${isListed(caller, filter)}`,
    resolvedLater: sql<SqlBool>`${opened} and ${resolvedLater}`,
  }
}

/** Number of alerts per severity. */
async function countSeverities(db: Db, selection: Selection): Promise<Map<Severity, number>> {
  const rows = await joinNeeded(db, selection)
    .select(['alerts.severity', ({ fn }) => fn.countAll<number>().as('count')])
    .where(whereOf(selection))
    .groupBy('alerts.severity')
    .execute()
  return new Map(rows.map(({ severity, count }) => [severity, Number(count)]))
}

/** Alerts to count: tables without a filter are not joined. */
function joinNeeded(db: Db, { caller, filter }: Pick<Selection, 'caller' | 'filter'>) {
  const { clientFilter, siteFilter, search } = filter
  const needsSites =
    !caller.scope.all || [clientFilter, siteFilter, search].some((value) => value !== undefined)
  return needsSites ? joinSites(db) : db.selectFrom('alerts')
}

function conditions({ filter, part, now }: Omit<Selection, 'caller'>) {
  const { timeFilter, search } = filter
  const all = [stateCondition(filter, part)]
  if (part === 'past' && timeFilter !== undefined) {
    const since = new Date(now.getTime() - timeFilter * DAY_MS).toISOString()
    all.push(sql<SqlBool>`alerts.alert_time >= ${since}`)
  }
  if (filter.ids !== undefined) all.push(oneOf('alerts.id', filter.ids))
  if (filter.clientFilter !== undefined) all.push(oneOf('sites.client_id', filter.clientFilter))
  if (filter.siteFilter !== undefined) all.push(oneOf('sites.id', filter.siteFilter))
  if (filter.agentFilter !== undefined) all.push(oneOf('alerts.agent_id', filter.agentFilter))
  if (filter.severityFilter !== undefined) all.push(oneOf('alerts.severity', filter.severityFilter))
  if (filter.typeFilter !== undefined) all.push(oneOf('alerts.alert_type', filter.typeFilter))
  for (const word of (search ?? '').split(/\s+/).filter((text) => text !== '')) {
    const columns = ['alerts.message', 'agents.hostname', 'sites.name'].map(
      (column) => sql<SqlBool>`${contains(sql.ref<string>(column), word)}`,
    )
    const client = sql<SqlBool>`exists (select 1 from clients as named where named.id = sites.client_id
      and ${contains(sql.ref<string>('named.name'), word)})`
    all.push(sql<SqlBool>`(${sql.join([...columns, client], sql` or `)})`)
  }
  return all
}

function stateCondition({ top, stateFilter, snoozedFilter, heldFilter }: Filter, part: Part) {
  if (part === 'past') return sql<SqlBool>`alerts.state = 'resolved'`
  if (typeof part === 'object') return sql<SqlBool>`alerts.resolved_on > ${part.resolvedAfter}`
  if (top !== undefined)
    return sql<SqlBool>`(alerts.state = 'open' and alerts.hold is null and alerts.in_bell = 1)`
  if (stateFilter !== undefined) return PARTS[stateFilter]
  const states = ['open', 'acknowledged', ...(snoozedFilter === true ? ['snoozed'] : [])]
  const inState = oneOf('alerts.state', states)
  return heldFilter === true ? inState : sql<SqlBool>`(${inState} and alerts.hold is null)`
}

const UNRESOLVED = sql<SqlBool>`alerts.state in ('open', 'acknowledged', 'snoozed')`
/** The unresolved alerts of each part. */
const PARTS: Record<AlertPart, typeof UNRESOLVED> = {
  open: sql<SqlBool>`(${UNRESOLVED} and alerts.hold is null)`,
  acknowledged: sql<SqlBool>`(alerts.state = 'acknowledged' and alerts.hold is null)`,
  snoozed: sql<SqlBool>`(alerts.state = 'snoozed' and alerts.hold is null)`,
  suppressed: sql<SqlBool>`(${UNRESOLVED} and alerts.hold is not null)`,
  resolved: sql<SqlBool>`1 = 0`,
  all: UNRESOLVED,
}

function oneOf(column: string, values: readonly (string | number)[]) {
  if (values.length === 0) return sql<SqlBool>`1 = 0`
  return sql<SqlBool>`${sql.ref(column)} in (${sql.join(values)})`
}

function sum(counts: Map<Severity, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0)
}
