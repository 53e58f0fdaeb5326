import { type AgentFacts, MacAddress } from '@muster/contract/agent/facts'
import type { Db } from '../../platform/database/database.ts'

const MOST_LOOKED_AT = 200
const NO_CARD = '00:00:00:00:00:00'

interface Neighbour {
  agent_id: string
  hostname: string
}

/** Connected machines of the same site, first those with an address in one of its networks. */
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
    .limit(MOST_LOOKED_AT)
    .execute()
  const isNear = (row: (typeof rows)[number]) => [...networksOf(row.facts)].some((one) => own.has(one))
  return [...rows.filter(isNear), ...rows.filter((row) => !isNear(row))]
}

/** The addresses of the network cards of a machine, each once, as the contract writes them. */
export function cardsOf(facts: string | null): string[] {
  const macs = addressesOf(facts).map(({ mac }) => mac.toLowerCase())
  return [...new Set(macs)].filter((mac) => mac !== NO_CARD && MacAddress.safeParse(mac).success)
}

/** The mask is not known: the first three numbers are, with most networks, those of the network. */
function networksOf(facts: string | null): Set<string> {
  const ipv4 = addressesOf(facts).filter(({ family }) => family === 'ipv4')
  return new Set(ipv4.map(({ address }) => address.split('.').slice(0, 3).join('.')))
}

function addressesOf(facts: string | null): AgentFacts['addresses'] {
  // Stored by store-facts.ts as the contract's schema made it; a machine may not have told them yet.
  return (JSON.parse(facts ?? '{}') as Partial<AgentFacts>).addresses ?? []
}
