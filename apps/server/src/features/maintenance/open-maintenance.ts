import type { OpenMaintenance } from '@muster/contract/api/maintenance'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'
import { activeOccurrence, findWindows, type WindowRow } from './queries.ts'
import { viewWindows } from './view.ts'

interface Viewing {
  caller: { scope: Scope }
  now: Date
}

/** Visible maintenance without an end: windows first, then machines switched on by hand. */
export async function findOpenMaintenance(db: Db, { caller, now }: Viewing): Promise<OpenMaintenance[]> {
  const rows = await findOpenWindows(db, now)
  const windows = rows.length === 0 ? [] : await viewWindows(db, { caller, now, rows })
  const startOf = new Map(rows.map((row) => [row.id, activeOccurrence(row, now.getTime())?.startMs]))
  return [
    ...windows
      .filter(({ targets }) => targets.length > 0)
      .map(({ id, targets, agent_count, reason, created_by }) => ({
        window_id: id,
        targets,
        agent_count,
        since: toInstant(startOf.get(id)),
        reason,
        created_by,
      })),
    ...(await findByHand(db, caller)),
  ]
}

/** Whether that list has an entry. Cheaper than the list. */
export async function hasOpenMaintenance(db: Db, { caller, now }: Viewing): Promise<boolean> {
  const byHand = await agentsByHand(db, caller).select('agents.agent_id').limit(1).executeTakeFirst()
  if (byHand !== undefined) return true
  const rows = await findOpenWindows(db, now)
  if (rows.length === 0) return false
  const windows = await viewWindows(db, { caller, now, rows })
  return windows.some(({ targets }) => targets.length > 0)
}

async function findOpenWindows(db: Db, now: Date): Promise<WindowRow[]> {
  const windows = await findWindows(db)
  return windows.filter((window) => activeOccurrence(window, now.getTime())?.endMs === null)
}

function agentsByHand(db: Db, caller: Viewing['caller']) {
  return db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .where('agents.maintenance_mode', '=', 1)
    .where('agents.maintenance_by', 'is', null)
    .where(visibleTo(caller))
}

interface ByHand {
  agent_id: string
  hostname: string
  site_id: number
  site: string
  client_id: number
  client: string
}

/** One entry per client if it covers all of its machines, else per site, else per machine. */
async function findByHand(db: Db, caller: Viewing['caller']): Promise<OpenMaintenance[]> {
  const agents: ByHand[] = await agentsByHand(db, caller)
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select([
      'agents.agent_id',
      'agents.hostname',
      'sites.id as site_id',
      'sites.name as site',
      'clients.id as client_id',
      'clients.name as client',
    ])
    .execute()
  if (agents.length === 0) return []
  const { clients, sites } = await countAgents(db, caller)
  const starts = await findStarts(db, agents)
  const entry = (target: OpenMaintenance['targets'][number], covered: ByHand[]): OpenMaintenance => ({
    window_id: null,
    targets: [target],
    agent_count: covered.length,
    since: toInstant(Math.min(...covered.map(({ agent_id }) => starts.get(agent_id) ?? Infinity))),
    reason: '',
    created_by: '',
  })
  const entries = [...Map.groupBy(agents, ({ client_id }) => client_id)].flatMap(([clientId, ofClient]) => {
    const name = ofClient[0]?.client ?? ''
    if (ofClient.length === clients.get(clientId) && ofClient.length > 1) {
      return [entry({ type: 'client', id: clientId, name }, ofClient)]
    }
    return [...Map.groupBy(ofClient, ({ site_id }) => site_id)].flatMap(([siteId, ofSite]) => {
      if (ofSite.length === sites.get(siteId) && ofSite.length > 1) {
        return [entry({ type: 'site', id: siteId, name: `${name}, ${ofSite[0]?.site ?? ''}` }, ofSite)]
      }
      return ofSite.map((agent) =>
        entry({ type: 'agent', id: agent.agent_id, name: agent.hostname }, [agent]),
      )
    })
  })
  return entries.toSorted((a, b) => compareNames(a.targets[0]?.name, b.targets[0]?.name))
}

/** Number of visible machines per client and site. */
async function countAgents(db: Db, caller: Viewing['caller']) {
  const rows = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .where(visibleTo(caller))
    .select(['sites.id', 'sites.client_id', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy(['sites.id', 'sites.client_id'])
    .execute()
  const clients = new Map<number, number>()
  for (const { client_id: id, count } of rows) clients.set(id, (clients.get(id) ?? 0) + Number(count))
  return { clients, sites: new Map(rows.map(({ id, count }) => [id, Number(count)])) }
}

/** Start of the maintenance of machines, in milliseconds. */
async function findStarts(db: Db, agents: readonly ByHand[]): Promise<Map<string, number>> {
  const starts = new Map<string, number>()
  for (const slice of chunk(agents.map(({ agent_id }) => agent_id))) {
    const rows = await db
      .selectFrom('maintenance_periods')
      .select(['agent_id', 'started_at'])
      .where('ended_at', 'is', null)
      .where('agent_id', 'in', slice)
      .execute()
    for (const { agent_id, started_at } of rows) starts.set(agent_id, Number(started_at) * 1000)
  }
  return starts
}

function toInstant(ms: number | undefined): string | null {
  return ms === undefined || !Number.isFinite(ms) ? null : new Date(ms).toISOString()
}

function compareNames(a = '', b = ''): number {
  return a.localeCompare(b, 'en', { numeric: true })
}
