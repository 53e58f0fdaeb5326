import type { CheckType } from '@muster/contract/api/checks'
import type { Db } from '../../platform/database/database.ts'
import { SLICE, chunk } from '../../samples/queries.ts'

/** Primary keys of machines, by agent_id. */
export async function findMachineNumbers(db: Db, agentIds: string[]): Promise<Map<string, number>> {
  const numbers = new Map<string, number>()
  for (const ids of chunk(agentIds, SLICE)) {
    const rows = await db
      .selectFrom('agents')
      .select(['id', 'agent_id'])
      .where('agent_id', 'in', ids)
      .execute()
    for (const { id, agent_id } of rows) numbers.set(agent_id, id)
  }
  return numbers
}

export interface ComparedCheck {
  id: number
  agent_id: string
  check_type: CheckType
  settings: string
  script_name: string | null
}

/** The active checks of these machines. */
export function findComparedChecks(db: Db, agentIds: string[]): Promise<ComparedCheck[]> {
  return db
    .selectFrom('checks')
    .leftJoin('scripts', 'scripts.id', 'checks.script_id')
    .select(['checks.id', 'checks.agent_id', 'checks.check_type', 'checks.settings'])
    .select('scripts.name as script_name')
    .where('checks.agent_id', 'in', agentIds)
    .where('checks.overridden_by', 'is', null)
    .orderBy('checks.id')
    .execute()
}
