import { type AgentFacts, MacAddress } from '@muster/contract/agent/facts'
import type { Db } from '../../platform/database/database.ts'

const MAX_CHECKED = 200
const NO_CARD = '00:00:00:00:00:00'

interface Neighbour {
  agent_id: string
  hostname: string
}

/** Connected machines of the same site, those of one of its networks first. */
export async function findNeighbours(
  db: Db,
  { agent_id, site_id, facts }: { agent_id: string; site_id: number; facts: string | null },
): Promise<Neighbour[]> {
  const own = networksOf(facts)
  const rows = await db
    .selectFrom('agents')
    .leftJoin('agent_facts', 'agent_facts.agent', 'agents.id')
    .select(['agents.agent_id', 'agents.hostname', 'agent_facts.facts'])
    .where('agents.site_id', '=', site_id)
    .where('agents.connected', '=', 1)
    .where('agents.agent_id', '!=', agent_id)
    .orderBy('agents.id')
    .limit(MAX_CHECKED)
    .execute()
  const isNear = (row: (typeof rows)[number]) => [...networksOf(row.facts)].some((one) => own.has(one))
  return [...rows.filter(isNear), ...rows.filter((row) => !isNear(row))]
}

/** The network addresses of a machine without duplicates, in the format of the contract. */
export function cardsOf(facts: string | null): string[] {
  const macs = addressesOf(facts).map(({ mac }) => mac.toLowerCase())
  return [...new Set(macs)].filter((mac) => mac !== NO_CARD && MacAddress.safeParse(mac).success)
}

/** The mask is unknown. For most networks the first three numbers identify it. */
function networksOf(facts: string | null): Set<string> {
  const ipv4 = addressesOf(facts).filter(({ family }) => family === 'ipv4')
  return new Set(ipv4.map(({ address }) => address.split('.').slice(0, 3).join('.')))
}

function addressesOf(facts: string | null): AgentFacts['addresses'] {
  // Stored by store-facts.ts with the contract's schema. A machine may not have reported them yet.
  return (JSON.parse(facts ?? '{}') as Partial<AgentFacts>).addresses ?? []
}
