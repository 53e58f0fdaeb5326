import type { Db } from '../../platform/database/database.ts'

/** The reported time zone of a machine. Empty while it is unknown. */
export async function zoneOf(db: Db, agentId: string): Promise<string> {
  const row = await db
    .selectFrom('agent_facts')
    .innerJoin('agents', 'agents.id', 'agent_facts.agent')
    .select('facts')
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
  // Stored by store-facts.ts with the contract's schema.
  const { time_zone = '' } = JSON.parse(row?.facts ?? '{}') as { time_zone?: string }
  return time_zone
}
