import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { sql, type SqlBool } from 'kysely'
import { causeOfMachine, causeOfSite, MACHINE_CAUSE, type Subject } from './causes.ts'
import { inBatches } from './queries.ts'
import { isOverdue, isWatched, overdueAt, overdueSince } from './overdue.ts'
import { findSites, type SiteState } from './sites.ts'
import type { TxContext } from './store-alerts.ts'
import { type Finding, takeFindings } from './take-findings.ts'

/** Raises alerts for overdue machines, and for sites whose machines are all overdue. */
export async function openOverdue(ctx: Context): Promise<void> {
  const found = await selectOverdue(ctx, ctx.db).select('agents.agent_id').execute()
  for await (const slice of inBatches(found)) {
    const ids = slice.map(({ agent_id }) => agent_id)
    await ctx.transaction((tx, emit) => raise({ ctx, tx, emit }, ids))
  }
}

async function raise(txContext: TxContext, agentIds: string[]): Promise<void> {
  const { ctx, tx } = txContext
  const now = ctx.now()
  const machines = await selectOverdue(ctx, tx)
    .select(['agents.agent_id', 'agents.hostname', 'agents.site_id', 'agents.maintenance_mode'])
    .select(['agents.connected', 'agents.last_seen', 'agents.offline_time', 'agents.overdue_time'])
    .where('agents.agent_id', 'in', agentIds)
    .orderBy('agents.agent_id')
    // A machine that is reconnecting in another process is left to the next sweep.
    .$if(ctx.engine === 'postgres', (query) => query.forShare('agents').skipLocked())
    .execute()
  const siteIds = [...new Set(machines.map(({ site_id }) => site_id))]
  const sites = await findSites(ctx, tx, siteIds)
  const subjects = new Map<string, Subject>()
  const findings: Finding[] = []
  const latest = new Map<number, Date>()
  for (const machine of machines) {
    const { agent_id, hostname, site_id, last_seen, overdue_time } = machine
    if (last_seen === null || !isOverdue(machine, now)) continue
    const at = overdueSince({ ...machine, last_seen })
    const cause = causeOfMachine(agent_id)
    const inMaintenance = machine.maintenance_mode === 1
    const isSilentSite = sites.get(site_id)?.isGoingDown === true
    subjects.set(cause, {
      cause,
      alert_type: 'availability',
      agent_id,
      check_id: null,
      site_id: null,
      hold: inMaintenance ? 'maintenance' : isSilentSite ? 'site_down' : null,
    })
    const minutes = overdue_time === 1 ? 'a minute' : `${overdue_time} minutes`
    findings.push({
      cause,
      at,
      severity: 'error',
      text: `${hostname} is overdue: silent for ${minutes}.`,
    })
    const known = latest.get(site_id)
    if (known === undefined || known < at) latest.set(site_id, at)
  }
  for (const [siteId, site] of sites) {
    const at = latest.get(siteId)
    if (!site.isDown || at === undefined) continue
    const subject = subjectOfSite(siteId, site)
    subjects.set(subject.cause, subject)
    findings.push({ cause: subject.cause, at, severity: 'error', text: messageOf(site) })
  }
  await takeFindings(txContext, subjects, findings)
}

function subjectOfSite(siteId: number, site: SiteState): Subject {
  return {
    cause: causeOfSite(siteId),
    alert_type: 'availability',
    agent_id: null,
    check_id: null,
    site_id: siteId,
    hold: site.isInMaintenance ? 'maintenance' : null,
  }
}

function messageOf({ name, client_name, machines }: SiteState): string {
  return `All ${machines} machines of ${client_name}, ${name} are overdue.`
}

/**
 * Watched overdue machines without an alert. One resolved by a user stays resolved until the machine was seen again.
 * Only disconnected machines are considered, by an index.
 */
function selectOverdue({ engine, now }: Pick<Context, 'engine' | 'now'>, db: Db) {
  return db
    .selectFrom('agents')
    .where('agents.connected', '=', 0)
    .where('agents.last_seen', '<', now().toISOString())
    .where(isWatched)
    .where(overdueAt(engine, now().toISOString()))
    .where(
      sql<SqlBool>`not exists (
        select 1 from alerts where alerts.cause = ${MACHINE_CAUSE} || agents.agent_id
        and alerts.alert_time > agents.last_seen
        and (alerts.open_cause is not null or alerts.resolved_by <> ''))`,
    )
}
