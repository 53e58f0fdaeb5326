import type { Db } from '../../platform/database/database.ts'
import { SLICE, slicesOf } from '../checks/samples/queries.ts'

/** The number in the database of each machine, by its agent_id. */
export async function findMachineNumbers(db: Db, agentIds: string[]): Promise<Map<string, number>> {
  const numbers = new Map<string, number>()
  for (const ids of slicesOf(agentIds, SLICE)) {
    const rows = await db
      .selectFrom('agents')
      .select(['id', 'agent_id'])
      .where('agent_id', 'in', ids)
      .execute()
    for (const { id, agent_id } of rows) numbers.set(agent_id, id)
  }
  return numbers
}
