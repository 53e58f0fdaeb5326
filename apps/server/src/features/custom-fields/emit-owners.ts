import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { findCollectingTasks, findOwners } from './queries.ts'

const SLICE = 500

/** Tells that what has a value of this field, and tasks that bring it one, are shown differently from now on. */
export async function emitOwnersChanged(
  tx: Db,
  emit: (event: Event) => void,
  fieldId: number,
): Promise<void> {
  const owners = await findOwners(tx, fieldId)
  const agents = owners.map(({ agent_id }) => agent_id).filter((id) => id !== null)
  for (let from = 0; from < agents.length; from += SLICE) {
    const ids = agents.slice(from, from + SLICE)
    emit({ type: 'agent.changed', ids, agent_ids: ids })
  }
  const clients = owners
    .map(({ client_id, site_client_id }) => client_id ?? site_client_id)
    .filter((id) => id !== null)
  if (clients.length > 0) emit({ type: 'client.changed', ids: [...new Set(clients)] })
  const tasks = await findCollectingTasks(tx, fieldId)
  for (let from = 0; from < tasks.length; from += SLICE) {
    const slice = tasks.slice(from, from + SLICE)
    const agent_ids = slice.map(({ agent_id }) => agent_id)
    emit({ type: 'task.changed', ids: slice.map(({ id }) => id), agent_ids })
  }
}
