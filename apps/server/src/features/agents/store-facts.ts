import { isDeepStrictEqual } from 'node:util'
import { AgentFacts } from '@muster/contract/agent/facts'
import type { Report } from '@muster/contract/agent/link'
import type { HookScene } from '../../hooks.ts'
import type { Db } from '../../platform/database/database.ts'
import { describeChanges, storeChanges } from './fact-changes.ts'
import { readFacts } from './view.ts'

export type FactsReport = Extract<Report, { kind: 'facts' }>

/** Facts of which the first report must bring all; a later one brings those that changed. */
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

/** What comes and goes: no search of a policy looks at it, and no variable of a script. */
const PASSING: ReadonlySet<string> = new Set<keyof AgentFacts>([
  'boot_time',
  'disks',
  'last_logged_in_user',
  'needs_reboot',
  'problems',
])

/** Stores reported facts. What variables stand for may change with those that describe a machine. */
export async function storeFactReports(
  { ctx, tx, emit }: HookScene,
  reports: readonly { agentId: string; report: FactsReport }[],
): Promise<void> {
  const reported = new Map<string, FactsReport[]>()
  for (const { agentId, report } of reports) reported.set(agentId, [...(reported.get(agentId) ?? []), report])
  const anew = await storeFacts(tx, ctx.now(), reported)
  await ctx.hooks.variablesChanged(tx, emit, { agentIds: anew })
  const passing = [...new Set(reported.keys()).difference(new Set(anew))]
  if (anew.length > 0) emit({ type: 'agent.changed', ids: anew, agent_ids: anew })
  if (passing.length > 0) emit({ type: 'agent.changed', ids: passing, agent_ids: passing, passing: true })
}

/**
 * Merges what machines have reported, by agent_id, into what they have said before, and keeps for their timelines what
 * differs. Answers which machines are described by something else now than before.
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
  return merged.filter(isDescribedAnew).map(({ machine }) => machine.agent_id)
}

function isDescribedAnew({ before, facts, told }: ReturnType<typeof merge>): boolean {
  if (before === null) return true
  return told.some((key) => !PASSING.has(key) && !isDeepStrictEqual(before[key], facts[key]))
}

type Machine = Awaited<ReturnType<typeof findMachines>>[number]

/** In the order of ids: two servers that store facts of the same machines do not wait for one another in turn. */
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
): { before: AgentFacts | null; facts: AgentFacts; told: (keyof AgentFacts)[] } {
  const before = readFacts(machine)
  const base: AgentFacts = {
    ...UNKNOWN,
    hostname: machine.hostname,
    platform: machine.plat,
    arch: machine.arch,
  }
  const told: Partial<AgentFacts> = Object.assign({}, ...reports.map((report) => report.facts))
  const facts = AgentFacts.parse({ ...base, ...before, ...told })
  // `as`: the contract's schema lets no other key through.
  return { before, facts, told: Object.keys(told) as (keyof AgentFacts)[] }
}

async function rename(tx: Db, machine: Machine, facts: AgentFacts): Promise<void> {
  const names = { hostname: facts.hostname, plat: facts.platform, arch: facts.arch }
  if (machine.hostname === names.hostname && machine.plat === names.plat && machine.arch === names.arch)
    return
  await tx.updateTable('agents').set(names).where('id', '=', machine.id).execute()
}
