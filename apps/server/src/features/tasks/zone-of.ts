import type { Db } from '../../platform/database/database.ts'

/** The zone of a machine's clocks as it reported it; empty while it is not known. */
export async function zoneOf(db: Db, agentId: string): Promise<string> {
  const row = await db.selectFrom('agents').select('facts').where('agent_id', '=', agentId).executeTakeFirst()
  // Stored by store-facts.ts as the contract's schema made it.
  const facts = JSON.parse(row?.facts ?? '{}') as { time_zone?: string } | null
  return facts?.time_zone ?? ''
}
