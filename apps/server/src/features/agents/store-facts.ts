import { AgentFacts } from '@muster/contract/agent/facts'
import type { Report } from '@muster/contract/agent/link'
import type { Db } from '../../platform/database/database.ts'
import { describeChanges, storeChanges } from './fact-changes.ts'
import { readFacts } from './view.ts'

type FactsReport = Extract<Report, { kind: 'facts' }>

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

/** Merges reported facts into what the machine has said before, and keeps for its timeline what differs. */
export async function storeFacts(
  tx: Db,
  { agentId, at }: { agentId: string; at: Date },
  reports: FactsReport[],
): Promise<void> {
  const row = await tx
    .selectFrom('agents')
    .leftJoin('agent_facts', 'agent_facts.agent', 'agents.id')
    .select(['agents.id', 'facts', 'hostname', 'plat', 'arch'])
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
  if (row === undefined) return
  const before = readFacts(row)
  const base: AgentFacts = { ...UNKNOWN, hostname: row.hostname, platform: row.plat, arch: row.arch }
  const facts = AgentFacts.parse(Object.assign({}, base, before, ...reports.map((report) => report.facts)))
  await tx
    .insertInto('agent_facts')
    .values({ agent: row.id, facts: JSON.stringify(facts) })
    .onConflict((conflict) =>
      conflict.column('agent').doUpdateSet((eb) => ({ facts: eb.ref('excluded.facts') })),
    )
    .execute()
  if (before !== null) {
    const texts = describeChanges(before, facts)
    await storeChanges(tx, { agentId, at: Math.floor(at.getTime() / 1000), texts })
  }
  const names = { hostname: facts.hostname, plat: facts.platform, arch: facts.arch }
  if (row.hostname === names.hostname && row.plat === names.plat && row.arch === names.arch) return
  await tx.updateTable('agents').set(names).where('id', '=', row.id).execute()
}
