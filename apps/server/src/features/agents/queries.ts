import type { AgentDetail, AgentRow } from '@muster/contract/api/agents'
import { agentStatus } from '@muster/rules/agents/agent-status'
import { worstRank } from '@muster/rules/agents/worst-first'
import type { Selectable } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { AgentsTable } from '../../platform/database/tables/agents.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'
import type { FoundName, RowFilter } from '../../fleet/handlers.ts'
import { findValues, type ValueRow } from '../custom-fields/queries.ts'
import { type AgentTags, findAgentTags } from '../tags/queries.ts'

/** A machine with its site, client and facts. */
export type AgentWithSite = Selectable<AgentsTable> & {
  /** NULL before its first report. */
  facts: string | null
  site_name: string
  client_id: number
  client_name: string
}

export type AgentsRow = AgentWithSite & {
  /** Runs that wait for the machine to reconnect. */
  queued_runs: number
  /** Scheduled actions. */
  planned_actions: number
  /** NULL before the first scan for patches. */
  pending_patches: number | null
  checks: AgentRow['checks']
  values: ValueRow[]
  tags: AgentTags
  site_template: number | null
  client_template: number | null
  /** The alert template that applies to it. */
  template: AgentRow['alert_template']
  /** The first policy assigned directly to it. */
  policy: number | null
}

function selectWithSite(db: Db) {
  return db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .leftJoin('agent_facts', 'agent_facts.agent', 'agents.id')
    .selectAll('agents')
    .select('agent_facts.facts')
    .select(['sites.name as site_name', 'sites.client_id', 'clients.name as client_name'])
}

function selectAgents(db: Db) {
  return selectWithSite(db)
    .leftJoin('machine_patches', 'machine_patches.agent', 'agents.id')
    .select('machine_patches.pending as pending_patches')
    .select(['sites.alert_template_id as site_template', 'clients.alert_template_id as client_template'])
    .select((eb) =>
      eb
        .selectFrom('agent_history')
        .select((count) => count.fn.countAll<number>().as('queued_runs'))
        .whereRef('agent_history.agent_id', '=', 'agents.agent_id')
        .where('agent_history.state', '=', 'queued')
        .$asScalar()
        .$notNull()
        .as('queued_runs'),
    )
    .select((eb) =>
      eb
        .selectFrom('pending_actions')
        .select((count) => count.fn.countAll<number>().as('planned'))
        .whereRef('pending_actions.agent_id', '=', 'agents.agent_id')
        .where('pending_actions.status', '!=', 'completed')
        .$asScalar()
        .$notNull()
        .as('planned_actions'),
    )
}

/** Counts of checks and alert templates belong to features that come later. */
type Source = Pick<Context, 'db' | 'hooks' | 'now'>

export async function findAgent(
  ctx: Source,
  agentId: string,
  caller: { scope: Scope },
): Promise<AgentsRow | undefined> {
  const query = selectAgents(ctx.db).where('agents.agent_id', '=', agentId).where(visibleTo(caller))
  const [agent] = await withParts(ctx, await query.execute())
  return agent
}

export function findAgentWithSite(
  db: Db,
  agentId: string,
  caller: { scope: Scope },
): Promise<AgentWithSite | undefined> {
  return selectWithSite(db).where('agents.agent_id', '=', agentId).where(visibleTo(caller)).executeTakeFirst()
}

/** Those of these machines that the caller may see. */
export function findVisibleAgents(
  db: Db,
  agentIds: readonly string[],
  caller: { scope: Scope },
): Promise<AgentWithSite[]> {
  return selectWithSite(db).where('agents.agent_id', 'in', agentIds).where(visibleTo(caller)).execute()
}

export async function findLastUpdate(db: Db, agentId: string): Promise<AgentDetail['update']> {
  const row = await db
    .selectFrom('agent_updates')
    .select(['version', 'state', 'reason', 'username', 'changed_at'])
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
  return row ?? null
}

/** Several machines, without a check of visibility. */
export function findAgentsWithSite(db: Db, agentIds: string[]): Promise<AgentWithSite[]> {
  return selectWithSite(db).where('agents.agent_id', 'in', agentIds).execute()
}

export async function findAgents(ctx: Source, agentIds: string[]): Promise<AgentsRow[]> {
  if (agentIds.length === 0) return []
  return withParts(ctx, await selectAgents(ctx.db).where('agents.agent_id', 'in', agentIds).execute())
}

/** Agents after `afterId`, ordered by id, to read all of them in slices. */
export async function findAgentsAfter(
  ctx: Source,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<AgentsRow[]> {
  const query = selectAgents(ctx.db).where('agents.id', '>', afterId).orderBy('agents.id').limit(limit)
  return withParts(ctx, await query.execute())
}

const UNKNOWN_CHECKS = { failing: 0, warning: 0 }

/** Names of agents after `afterId`, ordered by id: small enough to read all agents at once. */
export async function findAgentNames(
  db: Db,
  caller: { scope: Scope },
  filter: RowFilter,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<FoundName[]> {
  const { client, site, monitoring_type: type } = filter
  let query = db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select(['agents.id', 'agents.agent_id', 'agents.hostname', 'agents.connected', 'agents.last_seen'])
    .select(['agents.offline_time', 'agents.overdue_time', 'agents.maintenance_mode'])
    .where(visibleTo(caller))
    .where('agents.id', '>', afterId)
  if (client !== undefined) query = query.where('sites.client_id', '=', client)
  if (site !== undefined) query = query.where('sites.id', '=', site)
  if (type !== undefined) query = query.where('agents.monitoring_type', '=', type)
  const rows = await query.orderBy('agents.id').limit(limit).execute()
  const nowMs = Date.now()
  return rows.map(({ id, agent_id, hostname, ...row }) => {
    const status = agentStatus({ ...row, connected: row.connected === 1 }, nowMs)
    const maintenance_mode = row.maintenance_mode === 1
    return { id, agent_id, hostname, rank: worstRank({ status, maintenance_mode, checks: UNKNOWN_CHECKS }) }
  })
}

type Parts = 'checks' | 'values' | 'tags' | 'template' | 'policy'

/** The alert template that applies to a machine; null = none. */
export type AgentTemplates = (agent: Omit<AgentsRow, Parts>) => AgentRow['alert_template']

async function withParts({ db, hooks, now }: Source, agents: Omit<AgentsRow, Parts>[]): Promise<AgentsRow[]> {
  if (agents.length === 0) return []
  const ids = agents.map(({ agent_id }) => agent_id)
  const countsOf = await hooks.countChecks(db, ids, now())
  const values = Map.groupBy(await findValues(db, 'agent', ids), ({ owner }) => owner)
  const tagsOf = await findAgentTags(db, agents)
  const templateOf = await hooks.openAgentTemplates(db)
  const policies = await findOwnPolicies(db, ids)
  // Written onto the rows themselves, because copying them field by field is slow.
  return agents.map((agent) =>
    Object.assign(agent, {
      template: templateOf(agent),
      policy: policies.get(agent.agent_id) ?? null,
      checks: countsOf(agent.agent_id),
      values: values.get(agent.agent_id) ?? [],
      tags: tagsOf(agent),
    }),
  )
}

/** The first policy assigned directly to each machine. */
async function findOwnPolicies(db: Db, agentIds: readonly string[]): Promise<Map<string | null, number>> {
  const rows = await db
    .selectFrom('policy_targets')
    .select(['agent_id', 'policy_id'])
    .where('agent_id', 'in', agentIds)
    .orderBy('position', 'desc')
    .orderBy('policy_id', 'desc')
    .execute()
  // The last entry of a key wins.
  return new Map(rows.map(({ agent_id, policy_id }) => [agent_id, policy_id]))
}

/** Visible machines of a client or site. */
export function findNodeAgents(
  db: Db,
  node: { type: 'Client' | 'Site'; id: number },
  caller: { scope: Scope },
): Promise<{ agent_id: string }[]> {
  return db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select('agents.agent_id')
    .where(node.type === 'Client' ? 'sites.client_id' : 'sites.id', '=', node.id)
    .where(visibleTo(caller))
    .execute()
}

export function findVisibleSite(
  db: Db,
  siteId: number,
  caller: { scope: Scope },
): Promise<{ id: number; name: string; client_id: number; client_name: string } | undefined> {
  return db
    .selectFrom('sites')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select(['sites.id', 'sites.name', 'sites.client_id', 'clients.name as client_name'])
    .where('sites.id', '=', siteId)
    .where(visibleTo(caller))
    .executeTakeFirst()
}
