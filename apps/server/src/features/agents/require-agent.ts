import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import type { Scope } from '../../platform/http/caller.ts'
import { type AgentsRow, findAgent } from './queries.ts'

/** The machine, or `not_found`: also for one that the caller may not see. */
export async function requireAgent(db: Db, agentId: string, caller: { scope: Scope }): Promise<AgentsRow> {
  const agent = await findAgent(db, agentId, caller)
  if (agent === undefined) throw new AppError('not_found', 'There is no such machine, or you may not see it.')
  return agent
}
