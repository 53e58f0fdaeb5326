import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { findTaskDefinitions } from './definitions.ts'

const SLICE = 200

/**
 * Call it in the transaction of every change after which machines may have to run something else: their tasks get their
 * new revisions, their versions grow, and after the commit whoever holds their links tells them.
 * `agentIds`: machines from which a task is taken away.
 */
export async function redefineTasks(
  tx: Db,
  emit: (event: Event) => void,
  changed: { taskIds?: readonly number[]; agentIds?: readonly string[] },
): Promise<void> {
  const redefined: { id: number; agent_id: string }[] = []
  for (const ids of slicesOf(changed.taskIds ?? [])) redefined.push(...(await findRevised(tx, ids)))
  const agentIds = [...new Set([...redefined.map(({ agent_id }) => agent_id), ...(changed.agentIds ?? [])])]
  for (const slice of slicesOf(agentIds)) {
    const machines = await tx
      .updateTable('agents')
      .set((eb) => ({ tasks_version: eb('tasks_version', '+', 1) }))
      .where('agent_id', 'in', slice)
      .returning(['agent_id', 'tasks_version'])
      .execute()
    for (const { agent_id, tasks_version } of machines) {
      const ids = redefined.flatMap((task) => (task.agent_id === agent_id ? [task.id] : []))
      if (ids.length > 0)
        await tx.updateTable('tasks').set({ version: tasks_version }).where('id', 'in', ids).execute()
      emit({ type: 'task.redefined', ids, agent_ids: [agent_id] })
    }
  }
}

/** Stores the revisions of those whose definition is another than it was, and answers these. */
async function findRevised(tx: Db, ids: number[]): Promise<{ id: number; agent_id: string }[]> {
  const stored = await tx
    .selectFrom('tasks')
    .select(['id', 'agent_id', 'revision'])
    .where('id', 'in', ids)
    .execute()
  const found = await findTaskDefinitions(tx, ids)
  const revisions = new Map(found.map(({ definition }) => [definition.id, definition.revision]))
  const revised = stored.filter(({ id, revision }) => revision !== (revisions.get(id) ?? ''))
  for (const { id } of revised) {
    const revision = revisions.get(id) ?? ''
    await tx.updateTable('tasks').set({ revision }).where('id', '=', id).execute()
  }
  return revised
}

function slicesOf<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / SLICE)
  return Array.from({ length: count }, (_, index) => items.slice(index * SLICE, (index + 1) * SLICE))
}
