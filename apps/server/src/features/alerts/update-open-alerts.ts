import { sql, type SqlBool } from 'kysely'
import {
  type AlertHold,
  type AlertStep,
  endCause,
  endSnooze,
  holdAlert,
  notifyLate,
  releaseAlert,
  releaseHold,
} from '@muster/rules/alerts/alert-state'
import type { Context } from '../../context.ts'
import type { Engine } from '../../platform/database/columns.ts'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import { causeOfSite, SITE_CAUSE } from './causes.ts'
import { blockedChecks, type Dependency, findDependencies } from './dependencies.ts'
import { type AlertRow, inBatches, lockAlerts } from './queries.ts'
import { isOverdue, isWatched, overdueAt } from './overdue.ts'
import { findSites, type SiteState } from './sites.ts'
import { applyStep, draftOf, storeAlerts, type TxContext } from './store-alerts.ts'
import { MORE_TO_COME_MS } from './take-findings.ts'

const MAX_STEPS = 5

/**
 * Applies time and surroundings to open alerts: holds and releases, ends of snoozes and of problems. `agentIds` limits
 * it to these machines.
 */
export async function updateOpenAlerts(ctx: Context, agentIds?: readonly string[]): Promise<void> {
  const ids: number[] = []
  for (const slice of agentIds === undefined ? [undefined] : chunk(agentIds)) {
    ids.push(...(await findWaiting(ctx, slice)))
  }
  for await (const slice of inBatches(ids)) {
    await ctx.transaction((tx, emit) => tend({ ctx, tx, emit }, slice))
  }
}

async function tend(txContext: TxContext, ids: number[]): Promise<void> {
  const { ctx, tx } = txContext
  const now = ctx.now()
  const alerts = (await lockAlerts(tx, ctx.engine, ids)).filter(({ open_cause }) => open_cause !== null)
  // Another process was faster.
  if (alerts.length === 0) return
  const surroundingsOf = await findSurroundings(txContext, alerts)
  const drafts = alerts.map((alert) => {
    const draft = draftOf(alert)
    const around = surroundingsOf(alert)
    for (let taken = 0; taken < MAX_STEPS && draft.snapshot.state !== 'resolved'; taken += 1) {
      const step = decideStep({ ...alert, ...draft.snapshot }, around, now)
      if (step === undefined) break
      applyStep(draft, step)
    }
    return draft
  })
  const changed = drafts.filter(({ row, snapshot }) => row !== snapshot)
  if (changed.length > 0) await storeAlerts(txContext, changed)
}

async function findSurroundings(
  { ctx, tx }: TxContext,
  alerts: readonly AlertRow[],
): Promise<(alert: AlertRow) => Surroundings> {
  const facts = await findFacts(
    tx,
    alerts.map(({ id }) => id),
  )
  const factsOf = new Map(facts.map((fact) => [fact.id, fact]))
  const ofSites = alerts.flatMap(({ agent_id, site_id }) =>
    agent_id === null && site_id !== null ? [site_id] : [],
  )
  const sitesOfMachines = alerts.flatMap(({ id, alert_type }) => {
    const siteId = factsOf.get(id)?.site_id
    return alert_type === 'availability' && siteId != null ? [siteId] : []
  })
  const sites = await findSites(ctx, tx, [...ofSites, ...sitesOfMachines])
  const notifiedSites = await findNotifiedSites(tx, sitesOfMachines)
  const checkIds = alerts.flatMap(({ check_id }) => check_id ?? [])
  const dependencies = await findDependencies(tx, ctx.engine, { checkIds, now: ctx.now() })
  return ({ id, agent_id, site_id, alert_type, check_id }) => {
    const fact = factsOf.get(id)
    const siteId = fact?.site_id ?? undefined
    return {
      machine: machineOf(fact),
      last_run: fact?.last_run ?? null,
      site:
        agent_id === null && site_id !== null && alert_type === 'availability'
          ? sites.get(site_id)
          : undefined,
      isSiteNotified: siteId !== undefined && notifiedSites.has(siteId),
      isSiteGoingDown: siteId !== undefined && sites.get(siteId)?.isGoingDown === true,
      dependency: dependencies.get(check_id ?? 0),
    }
  }
}

type Fact = Awaited<ReturnType<typeof findFacts>>[number]

function machineOf(fact: Fact | undefined): Surroundings['machine'] {
  if (fact === undefined) return undefined
  const { connected, maintenance_mode, offline_time, overdue_time, last_seen, watched } = fact
  // All of them are set or none: an alert may have no machine.
  if (connected === null || maintenance_mode === null || offline_time === null || overdue_time === null) {
    return undefined
  }
  return {
    connected,
    maintenance_mode,
    offline_time,
    overdue_time,
    last_seen,
    watched: Number(watched) === 1,
  }
}

function findFacts(tx: Db, ids: number[]) {
  return tx
    .selectFrom('alerts')
    .leftJoin('agents', 'agents.agent_id', 'alerts.agent_id')
    .leftJoin('check_results', 'check_results.check_id', 'alerts.check_id')
    .select(['alerts.id', 'agents.site_id', 'agents.last_seen', 'agents.connected', 'agents.offline_time'])
    .select(['agents.overdue_time', 'agents.maintenance_mode', 'check_results.last_run'])
    .select(sql<number>`case when ${isWatched} then 1 else 0 end`.as('watched'))
    .where('alerts.id', 'in', ids)
    .execute()
}

async function findNotifiedSites(tx: Db, siteIds: readonly number[]): Promise<Set<number>> {
  const notified = new Set<number>()
  for (const slice of chunk([...new Set(siteIds)])) {
    const rows = await tx
      .selectFrom('alerts')
      .select('site_id')
      .where('open_cause', 'in', slice.map(causeOfSite))
      .execute()
    for (const { site_id } of rows) if (site_id !== null) notified.add(site_id)
  }
  return notified
}

/** Open alerts for which decideStep may have something to do. May include too many, but never too few. */
async function findWaiting(ctx: Context, agentIds: readonly string[] | undefined): Promise<number[]> {
  const rows = await ctx.db
    .selectFrom('alerts')
    .leftJoin('agents', 'agents.agent_id', 'alerts.agent_id')
    .leftJoin('check_results', 'check_results.check_id', 'alerts.check_id')
    .select('alerts.id')
    .where('alerts.open_cause', 'is not', null)
    .where(wantsAttention(ctx.engine, ctx.now().toISOString()))
    .$if(agentIds !== undefined, (query) => query.where('alerts.agent_id', 'in', agentIds ?? []))
    .orderBy('alerts.id')
    .execute()
  return rows.map(({ id }) => id)
}

function wantsAttention(engine: Engine, now: string) {
  const overdue = overdueAt(engine, now)
  const blocked = blockedChecks(engine, now)
  const hasNotifiedSite = sql<SqlBool>`exists (
    select 1 from alerts as whole where whole.open_cause = ${SITE_CAUSE} || cast(agents.site_id as text))`
  return sql<SqlBool>`(
    alerts.snooze_until <= ${now}
    or (agents.maintenance_mode = 1
      and (alerts.hold is null or alerts.hold <> 'maintenance' or alerts.look_after is not null))
    or (alerts.hold = 'maintenance' and alerts.look_after is null and coalesce(agents.maintenance_mode, 0) = 0)
    or (alerts.hold = 'machine_down' and (alerts.look_after is null) = (not ${overdue}))
    or (alerts.look_after <= ${now} and (alerts.check_id is null or alerts.hold is null
      or alerts.hold = 'flapping' or check_results.last_run > alerts.look_after))
    or (alerts.alert_type = 'check' and alerts.hold is null and ${overdue})
    or (alerts.alert_type = 'check' and (alerts.hold is null or alerts.hold = 'flapping')
      and alerts.check_id in ${blocked})
    or (alerts.hold = 'dependency' and (alerts.look_after is null) = (coalesce(alerts.check_id, 0) not in ${blocked}))
    or (alerts.told is null and alerts.hold is null and alerts.look_after > ${now}
      and exists (select 1 from checks where checks.id = alerts.check_id and checks.depends_on is not null))
    or (alerts.alert_type = 'availability' and (
      alerts.agent_id is null
      or agents.last_seen > alerts.alert_time or not ${isWatched} or not ${overdue}
      or (alerts.hold is null and ${hasNotifiedSite})
      or (alerts.hold = 'site_down' and alerts.look_after is null and not ${hasNotifiedSite}))))`
}

/** The state of the machine and the check of an open alert. */
interface Surroundings {
  machine: Machine | undefined
  /** The last run of its check. */
  last_run: string | null
  /** For the alert of a whole site. */
  site: SiteState | undefined
  /** An alert of the whole site of its machine is open. */
  isSiteNotified: boolean
  /** The site of its machine is about to be down as a whole. */
  isSiteGoingDown: boolean
  /** For a check that depends on another one. */
  dependency: Dependency | undefined
}

interface Machine {
  last_seen: string | null
  connected: 0 | 1
  offline_time: number
  overdue_time: number
  maintenance_mode: 0 | 1
  watched: boolean
}

/** Machines of a site reconnect one after the other. Those still down after this time are notified. */
const SITE_GRACE_MS = 120_000

/** The effect of time and surroundings on an open alert, or undefined. Call again after each step. */
function decideStep(alert: AlertRow, around: Surroundings, now: Date): AlertStep | undefined {
  const at = now.toISOString()
  const end = endOf(alert, around, now)
  if (end !== undefined) return endCause(alert, end)
  if (alert.state === 'snoozed' && alert.snooze_until !== null && alert.snooze_until <= at) {
    return endSnooze(alert, { at })
  }
  const hold = reasonToHold(alert, around, now)
  if (hold !== undefined) return holdAlert(alert, { at, hold })
  const isDue = alert.look_after !== null && alert.look_after <= at
  if (alert.hold === null) return isDue || isAnswered(alert, around, now) ? notifyLate(alert) : undefined
  if (alert.look_after === null) {
    const graceMs = alert.hold === 'site_down' ? SITE_GRACE_MS : 0
    return releaseHold(alert, { after: new Date(now.getTime() + graceMs).toISOString() })
  }
  if (waitsForRun(alert)) {
    const hasRun = around.last_run !== null && around.last_run > alert.look_after
    return hasRun ? releaseAlert(alert, { at }) : undefined
  }
  return isDue ? releaseAlert(alert, { at }) : undefined
}

/** It waited for its dependency, which has run since and passes. */
function isAnswered({ alert_time, created_at }: AlertRow, { dependency }: Surroundings, now: Date): boolean {
  const since = dependency?.passesSince ?? null
  return since !== null && since > alert_time && now.getTime() - Date.parse(created_at) >= MORE_TO_COME_MS
}

/** After maintenance or a lost machine, the check must run before its alert is notified. */
function waitsForRun({ alert_type, check_id, hold }: AlertRow): boolean {
  return alert_type === 'check' && check_id !== null && hold !== 'flapping'
}

function endOf(
  alert: AlertRow,
  { machine, site }: Surroundings,
  now: Date,
): { at: string; text: string } | undefined {
  if (alert.alert_type !== 'availability') return undefined
  const at = now.toISOString()
  if (machine !== undefined) {
    const { last_seen } = machine
    if (last_seen !== null && last_seen > alert.alert_time)
      return { at: last_seen, text: 'The machine is back.' }
    if (!machine.watched) return { at, text: 'Overdue alerts are off for this machine.' }
    if (!isOverdue(machine, now)) return { at, text: 'The machine is no longer overdue by its settings.' }
  } else if (alert.agent_id === null && alert.site_id !== null && site?.isDown !== true) {
    return { at, text: 'Not all machines of the site are overdue any more.' }
  }
  return undefined
}

function reasonToHold(alert: AlertRow, around: Surroundings, now: Date): AlertHold | undefined {
  const { machine, site } = around
  if (machine?.maintenance_mode === 1 || site?.isInMaintenance === true) return 'maintenance'
  if (machine === undefined) return undefined
  if (alert.alert_type === 'check') {
    if (isOverdue(machine, now)) return 'machine_down'
    return around.dependency?.fails === true ? 'dependency' : undefined
  }
  if (alert.alert_type !== 'availability') return undefined
  const waitsForSite = alert.hold === 'site_down' && around.isSiteGoingDown
  return around.isSiteNotified || waitsForSite ? 'site_down' : undefined
}
