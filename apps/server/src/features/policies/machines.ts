import { type TargetMachine, targetMachine } from '@muster/rules/agents/machine-target'
import type { ChainMachine } from '@muster/rules/policies/policy-chain'
import type { Db } from '../../platform/database/database.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'
import { findValues } from '../custom-fields/queries.ts'
import { findAgentTags } from '../tags/queries.ts'
import { usualAlert } from '../agents/availability.ts'
import { viewAgentRow } from '../agents/view.ts'
import { NO_CHECKS } from '../checks/queries.ts'
import { readCoreSettings, type StoredSettings } from '../../platform/config/core-settings.ts'
import { chunk } from './queries.ts'

/** The data of a machine that policies need. */
export interface PolicyMachine extends ChainMachine {
  hostname: string
  client_name: string
  site_name: string
  plat: 'windows' | 'linux' | 'darwin'
  check_interval: number
  offline_time: number
  overdue_time: number
  overdue_dashboard_alert: 0 | 1
  /** The global default for machines of its type. */
  usual_alert: 0 | 1
  setting_sources: string
  monitoring_type: 'server' | 'workstation'
  /** Alert templates of the machine and its parents, and those of its policies. */
  agent_template: number | null
  site_template: number | null
  client_template: number | null
  policy_templates: string
  /** As stored for features/patches; null = never any. */
  patch_policy: string | null
  own_patches: string | null
  /** As stored for features/software; null = never any. */
  software_policy: string | null
}

export interface MachineFilter {
  agentIds?: readonly string[]
  /** Facts for searches, which are large. */
  withText: boolean
}

/** All machines, or these. Yields to the event loop between slices. */
export async function findMachines(db: Db, filter: MachineFilter): Promise<PolicyMachine[]> {
  const agentIds = filter.agentIds ?? (await findAllIds(db))
  const settings = await readCoreSettings(db)
  const found: PolicyMachine[] = []
  for (const slice of chunk(agentIds, MACHINES_AT_ONCE)) {
    if (found.length > 0) await yieldToEventLoop()
    found.push(...(await read(db, slice, settings, filter)))
  }
  return found
}

export async function findAllIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('agents').select('agent_id').orderBy('id').execute()
  return rows.map(({ agent_id }) => agent_id)
}

/** SQLite is synchronous: waiting work runs before this resolves. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** All machines in parts, with a turn of the event loop in between. */
export async function* inBatches<Machine>(machines: readonly Machine[]): AsyncGenerator<Machine[]> {
  for (const slice of chunk(machines, MACHINES_AT_ONCE)) {
    yield slice
    await yieldToEventLoop()
  }
}

/** This many take about 10 ms, including the facts for searches. */
const MACHINES_AT_ONCE = 100

/** The visible ones of these machines. */
export async function findVisible(
  db: Db,
  caller: { scope: Scope },
  agentIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (caller.scope.all) return new Set(agentIds)
  const rows = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select('agents.agent_id')
    .where(visibleTo(caller))
    .execute()
  const seen = new Set(rows.map(({ agent_id }) => agent_id))
  return new Set(agentIds.filter((id) => seen.has(id)))
}

async function read(
  db: Db,
  agentIds: readonly string[],
  settings: StoredSettings,
  { withText }: MachineFilter,
): Promise<PolicyMachine[]> {
  const rows = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select(['agents.agent_id', 'agents.site_id', 'agents.monitoring_type', 'agents.hostname', 'agents.plat'])
    .select(['agents.check_interval', 'agents.offline_time', 'agents.overdue_time', 'setting_sources'])
    .select('agents.overdue_dashboard_alert')
    .select('agents.block_policy_inheritance as blocked_by_agent')
    .select(['sites.name as site_name', 'sites.client_id', 'clients.name as client_name'])
    .select('sites.block_policy_inheritance as blocked_by_site')
    .select('clients.block_policy_inheritance as blocked_by_client')
    .select(['agents.alert_template_id as agent_template', 'sites.alert_template_id as site_template'])
    .select(['clients.alert_template_id as client_template', 'agents.policy_templates'])
    .leftJoin('machine_patch_policies', 'machine_patch_policies.agent', 'agents.id')
    .select(['machine_patch_policies.policy as patch_policy', 'machine_patch_policies.own as own_patches'])
    .leftJoin('machine_software_policies', 'machine_software_policies.agent', 'agents.id')
    .select('machine_software_policies.policy as software_policy')
    .where('agents.agent_id', 'in', agentIds)
    .orderBy('agents.id')
    .execute()
  const targets = withText ? await readTargets(db, agentIds) : undefined
  return rows.map(({ blocked_by_agent, blocked_by_site, blocked_by_client, ...row }) => ({
    ...row,
    usual_alert: usualAlert(settings, row.monitoring_type),
    blocks: { agent: blocked_by_agent === 1, site: blocked_by_site === 1, client: blocked_by_client === 1 },
    target: () => targets?.get(row.agent_id),
  }))
}

const NEVER = new Date(0)
/** Columns that no search uses. */
const NOTHING = {
  queued_runs: 0,
  planned_actions: 0,
  pending_patches: null,
  checks: NO_CHECKS,
  site_template: null,
  client_template: null,
  template: null,
  policy: null,
}

async function readTargets(db: Db, agentIds: readonly string[]): Promise<Map<string, TargetMachine>> {
  const rows = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .leftJoin('agent_facts', 'agent_facts.agent', 'agents.id')
    .selectAll('agents')
    .select('agent_facts.facts')
    .select(['sites.name as site_name', 'sites.client_id', 'clients.name as client_name'])
    .where('agents.agent_id', 'in', agentIds)
    .execute()
  const valuesOf = Map.groupBy(await findValues(db, 'agent', agentIds), ({ owner }) => owner)
  const tagsOf = await findAgentTags(db, rows)
  return new Map(
    rows.map((row) => {
      const values = valuesOf.get(row.agent_id) ?? []
      const agent = viewAgentRow({ ...row, ...NOTHING, values, tags: tagsOf(row) }, NEVER)
      return [row.agent_id, targetMachine(agent)]
    }),
  )
}
