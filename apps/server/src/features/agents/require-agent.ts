import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Scope } from '../../platform/http/caller.ts'
import { type AgentsRow, findAgent, findPlacedAgent, type PlacedAgent } from './queries.ts'

/** The machine, or `not_found`: also for one that the caller may not see. */
export async function requireAgent(db: Db, agentId: string, caller: { scope: Scope }): Promise<PlacedAgent> {
  return (await findPlacedAgent(db, agentId, caller)) ?? refuse()
}

/** The same with how its checks do, what waits and what counts for it: five queries instead of one. */
export async function requireWholeAgent(
  ctx: Context,
  agentId: string,
  caller: { scope: Scope },
): Promise<AgentsRow> {
  return (await findAgent(ctx, agentId, caller)) ?? refuse()
}

function refuse(): never {
  throw new AppError('not_found', 'There is no such machine, or you may not see it.')
}
