import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { redefineChecks } from './redefine-checks.ts'

export type VariableOwner = { agentIds: string[] } | { siteId: number } | { clientId: number } | 'all'

const SLICE = 500

/**
 * Call it in the transaction of every change after which variables (`{{agent.hostname}}`, `{{global.KEY}}`) may stand
 * for something else on these machines: their script checks that have any are told anew where that makes a
 * difference.
 */
export async function redefineVariables(
  tx: Db,
  emit: (event: Event) => void,
  owner: VariableOwner,
): Promise<void> {
  if (owner === 'all' || !('agentIds' in owner)) return redefine(tx, emit, owner)
  for (let from = 0; from < owner.agentIds.length; from += SLICE)
    await redefine(tx, emit, { agentIds: owner.agentIds.slice(from, from + SLICE) })
}

async function redefine(tx: Db, emit: (event: Event) => void, owner: VariableOwner): Promise<void> {
  let query = tx
    .selectFrom('checks')
    .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select('checks.id')
    .where('check_type', '=', 'script')
    .where('settings', 'like', '%{{%')
  if (owner !== 'all') {
    if ('agentIds' in owner) query = query.where('checks.agent_id', 'in', owner.agentIds)
    else if ('siteId' in owner) query = query.where('sites.id', '=', owner.siteId)
    else query = query.where('sites.client_id', '=', owner.clientId)
  }
  const checks = await query.orderBy('checks.id').execute()
  if (checks.length > 0) await redefineChecks(tx, emit, { checkIds: checks.map(({ id }) => id) })
}
