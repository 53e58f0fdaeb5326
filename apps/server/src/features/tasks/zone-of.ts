import type { Db } from '../../platform/database/database.ts'

/** The zone of a machine's clocks as it reported it; empty while it is not known. */
export async function zoneOf(db: Db, agentId: string): Promise<string> {
  const row = await db
    .selectFrom('agent_facts')
    .innerJoin('agents', 'agents.id', 'agent_facts.agent')
    .select('facts')
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
  // Stored by store-facts.ts as the contract's schema made it.
  const { time_zone = '' } = JSON.parse(row?.facts ?? '{}') as { time_zone?: string }
  return time_zone
}
