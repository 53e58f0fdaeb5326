import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import type { VariableOwner } from '../../hooks.ts'
import { markChecksStale } from '../checks/mark-checks-stale.ts'
import { markTasksStale } from './mark-tasks-stale.ts'

const SLICE = 500

/**
 * Call in the transaction of every change that may affect script variables (`{{agent.hostname}}`, `{{global.KEY}}`) of
 * these machines: script checks and tasks with changed values are sent again.
 */
export async function markVariablesStale(
  tx: Db,
  emit: (event: Event) => void,
  owner: VariableOwner,
): Promise<void> {
  if (owner === 'all' || !('agentIds' in owner)) return markStale(tx, emit, owner)
  for (let from = 0; from < owner.agentIds.length; from += SLICE)
    await markStale(tx, emit, { agentIds: owner.agentIds.slice(from, from + SLICE) })
}

async function markStale(tx: Db, emit: (event: Event) => void, owner: VariableOwner): Promise<void> {
  const checks = await machinesOf(tx, owner)
    .innerJoin('checks', 'checks.agent_id', 'agents.agent_id')
    .select('checks.id')
    .where('check_type', '=', 'script')
    .where('settings', 'like', '%{{%')
    .orderBy('checks.id')
    .execute()
  if (checks.length > 0) await markChecksStale(tx, emit, { checkIds: checks.map(({ id }) => id) })
  const tasks = await machinesOf(tx, owner)
    .innerJoin('tasks', 'tasks.agent_id', 'agents.agent_id')
    .select('tasks.id')
    .where('actions', 'like', '%{{%')
    .orderBy('tasks.id')
    .execute()
  if (tasks.length > 0) await markTasksStale(tx, emit, { taskIds: tasks.map(({ id }) => id) })
}

function machinesOf(tx: Db, owner: VariableOwner) {
  const machines = tx.selectFrom('agents').innerJoin('sites', 'sites.id', 'agents.site_id')
  if (owner === 'all') return machines
  if ('agentIds' in owner) return machines.where('agents.agent_id', 'in', owner.agentIds)
  if ('siteId' in owner) return machines.where('sites.id', '=', owner.siteId)
  return machines.where('sites.client_id', '=', owner.clientId)
}
