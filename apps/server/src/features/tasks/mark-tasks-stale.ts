import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import { emitDefinitionsChanged } from '../../fleet/definition-sync.ts'
import { findTaskDefinitions } from './definitions.ts'

/**
 * Call in the transaction of every change that may affect task definitions: it updates their revisions and the versions
 * of their machines, and notifies the processes with their links after the commit. `agentIds`: machines that lose a
 * task.
 */
export async function markTasksStale(
  tx: Db,
  emit: (event: Event) => void,
  changed: { taskIds?: readonly number[]; agentIds?: readonly string[] },
): Promise<void> {
  const stale: { id: number; agent_id: string }[] = []
  for (const ids of chunk(changed.taskIds ?? [])) stale.push(...(await findRevised(tx, ids)))
  const agentIds = [...new Set([...stale.map(({ agent_id }) => agent_id), ...(changed.agentIds ?? [])])]
  for (const slice of chunk(agentIds)) {
    await tx
      .updateTable('agents')
      .set((eb) => ({ tasks_version: eb('tasks_version', '+', 1) }))
      .where('agent_id', 'in', slice)
      .execute()
  }
  for (const slice of chunk(stale)) {
    await tx
      .updateTable('tasks')
      .set((eb) => ({
        version: eb
          .selectFrom('agents')
          .select('tasks_version')
          .whereRef('agents.agent_id', '=', 'tasks.agent_id')
          .$asScalar()
          // Every task has its machine.
          .$notNull(),
      }))
      .where(
        'id',
        'in',
        slice.map(({ id }) => id),
      )
      .execute()
  }
  emitDefinitionsChanged(emit, 'task.redefined', { stale, agentIds })
}

/** Call after these machines can run scripts as the signed-in user, or no longer. */
export async function markUserTasksStale(
  tx: Db,
  emit: (event: Event) => void,
  agentIds: readonly string[],
): Promise<void> {
  const tasks = await tx
    .selectFrom('tasks')
    .innerJoin('task_scripts', 'task_scripts.task_id', 'tasks.id')
    .innerJoin('scripts', 'scripts.id', 'task_scripts.script_id')
    .select('tasks.id')
    .distinct()
    .where('tasks.agent_id', 'in', agentIds)
    .where('scripts.run_as_user', '=', 1)
    .orderBy('tasks.id')
    .execute()
  if (tasks.length > 0) await markTasksStale(tx, emit, { taskIds: tasks.map(({ id }) => id) })
}

/** Stores the revisions of changed definitions, and returns those tasks. */
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
