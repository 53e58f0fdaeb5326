import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Scope } from '../../platform/http/caller.ts'
import { type AgentsRow, findAgent, findAgentWithSite, type AgentWithSite } from './queries.ts'

/** Returns the machine. Throws `not_found` if it does not exist or is not visible. */
export async function requireAgent(
  db: Db,
  agentId: string,
  caller: { scope: Scope },
): Promise<AgentWithSite> {
  return (await findAgentWithSite(db, agentId, caller)) ?? refuse()
}

/** Includes check states, pending work and effective settings: five queries instead of one. */
export async function requireWholeAgent(
  ctx: Context,
  agentId: string,
  caller: { scope: Scope },
): Promise<AgentsRow> {
  return (await findAgent(ctx, agentId, caller)) ?? refuse()
}

function refuse(): never {
  throw new AppError('not_found', 'This machine does not exist, or you may not see it.')
}
