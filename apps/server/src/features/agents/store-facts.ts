import { isDeepStrictEqual } from 'node:util'
import { AgentFacts } from '@muster/contract/agent/facts'
import type { Report } from '@muster/contract/agent/link'
import type { InTransaction } from '../../hooks.ts'
import type { Db } from '../../platform/database/database.ts'
import { describeChanges, storeChanges } from './fact-changes.ts'
import { readFacts } from './view.ts'

export type FactsReport = Extract<Report, { kind: 'facts' }>

/** The first report must contain all facts; later ones contain the changed ones. */
const UNKNOWN: Omit<AgentFacts, 'hostname' | 'platform' | 'arch'> = {
  os_name: '',
  os_version: '',
  boot_time: 0,
  logged_in_user: null,
  last_logged_in_user: null,
  total_ram: 0,
  cpus: [],
  graphics: [],
  disks: [],
  physical_disks: [],
  addresses: [],
  make: '',
  model: '',
  serial_number: '',
  time_zone: '',
  needs_reboot: false,
  agent_version: '',
  problems: [],
}

/** Changes often, and neither policy searches nor script variables use it. */
const PASSING: ReadonlySet<string> = new Set<keyof AgentFacts>([
  'boot_time',
  'disks',
  'guests',
  'last_logged_in_user',
  'needs_reboot',
  'problems',
  'security',
])

/** Stores reported facts. What variables stand for may change with those that describe a machine. */
export async function storeFactReports(
  { ctx, tx, emit }: InTransaction,
  reports: readonly { agentId: string; report: FactsReport }[],
): Promise<void> {
  const reported = new Map<string, FactsReport[]>()
  for (const { agentId, report } of reports) reported.set(agentId, [...(reported.get(agentId) ?? []), report])
  const described = await storeFacts(tx, ctx.now(), reported)
  await ctx.hooks.variablesChanged(tx, emit, { agentIds: described })
  const passing = [...new Set(reported.keys()).difference(new Set(described))]
  if (described.length > 0) emit({ type: 'agent.changed', ids: described, agent_ids: described })
  if (passing.length > 0) emit({ type: 'agent.changed', ids: passing, agent_ids: passing, passing: true })
}

/**
 * Merges reported facts into the stored ones, and stores timeline changes. Returns the machines whose description
 * changed.
 */
export async function storeFacts(
  tx: Db,
  at: Date,
  reported: ReadonlyMap<string, readonly FactsReport[]>,
): Promise<string[]> {
  if (reported.size === 0) return []
  const machines = await findMachines(tx, [...reported.keys()])
  const merged = machines.map((machine) => ({
    machine,
    ...merge(machine, reported.get(machine.agent_id) ?? []),
  }))
  if (merged.length === 0) return []
  await tx
    .insertInto('agent_facts')
    .values(merged.map(({ machine, facts }) => ({ agent: machine.id, facts: JSON.stringify(facts) })))
    .onConflict((conflict) =>
      conflict.column('agent').doUpdateSet((eb) => ({ facts: eb.ref('excluded.facts') })),
    )
    .execute()
  for (const { machine, before, facts } of merged) {
    if (before !== null) {
      const texts = describeChanges(before, facts)
      await storeChanges(tx, { agentId: machine.agent_id, at: Math.floor(at.getTime() / 1000), texts })
    }
    await rename(tx, machine, facts)
  }
  return merged.filter(changesDescription).map(({ machine }) => machine.agent_id)
}

function changesDescription({ before, facts, reportedKeys }: ReturnType<typeof merge>): boolean {
  if (before === null) return true
  return reportedKeys.some((key) => !PASSING.has(key) && !isDeepStrictEqual(before[key], facts[key]))
}

type Machine = Awaited<ReturnType<typeof findMachines>>[number]

/** Ordered by id, so that two servers with facts of the same machines cannot deadlock. */
function findMachines(tx: Db, agentIds: string[]) {
  return tx
    .selectFrom('agents')
    .leftJoin('agent_facts', 'agent_facts.agent', 'agents.id')
    .select(['agents.id', 'agent_id', 'facts', 'hostname', 'plat', 'arch'])
    .where('agent_id', 'in', agentIds)
    .orderBy('agents.id')
    .execute()
}

function merge(
  machine: Machine,
  reports: readonly FactsReport[],
): { before: AgentFacts | null; facts: AgentFacts; reportedKeys: (keyof AgentFacts)[] } {
  const before = readFacts(machine)
  const base: AgentFacts = {
    ...UNKNOWN,
    hostname: machine.hostname,
    platform: machine.plat,
    arch: machine.arch,
  }
  const reportedFacts: Partial<AgentFacts> = Object.assign({}, ...reports.map((report) => report.facts))
  const facts = AgentFacts.parse({ ...base, ...before, ...reportedFacts })
  // `as`: the contract's schema allows no other key.
  return { before, facts, reportedKeys: Object.keys(reportedFacts) as (keyof AgentFacts)[] }
}

async function rename(tx: Db, machine: Machine, facts: AgentFacts): Promise<void> {
  const names = { hostname: facts.hostname, plat: facts.platform, arch: facts.arch }
  if (machine.hostname === names.hostname && machine.plat === names.plat && machine.arch === names.arch)
    return
  await tx.updateTable('agents').set(names).where('id', '=', machine.id).execute()
}
