import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { chunk } from '../../platform/database/sql.ts'
import { emitDefinitionsChanged } from '../../fleet/definition-sync.ts'
import { findTaskDefinitions } from './definitions.ts'

/**
 * Call in the transaction of every change that may affect task definitions: it updates their revisions and the versions
 * of their machines, and notifies the processes with their links after the commit. `agentIds`: machines that lose a
 * task. What a superuser changes on a machine of a server stays approved, or is if it is new.
 */
export async function markTasksStale(
  tx: Db,
  emit: (event: Event) => void,
  changed: { taskIds?: readonly number[]; agentIds?: readonly string[]; by?: Pick<Caller, 'isSuperuser'> },
): Promise<void> {
  const stale: { id: number; agent_id: string }[] = []
  for (const ids of chunk(changed.taskIds ?? [])) {
    const approved = changed.by?.isSuperuser === true ? await findApproved(tx, ids) : []
    stale.push(...(await findRevised(tx, ids)))
    if (approved.length > 0) await approveTasks(tx, approved)
  }
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

/** Also new ones. Of the others, a superuser may not have seen what changed. */
async function findApproved(tx: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await tx
    .selectFrom('tasks')
    .select('id')
    .where('id', 'in', ids)
    .whereRef('revision', '=', 'approved_revision')
    .execute()
  return rows.map(({ id }) => id)
}

const approveTasks = (tx: Db, ids: readonly number[]) =>
  tx
    .updateTable('tasks')
    .set((eb) => ({ approved_revision: eb.ref('revision') }))
    .where('id', 'in', ids)
    .execute()

/** A superuser has approved these tasks of a machine of a server as they are, so it gets them. */
export async function markTasksApproved(
  tx: Db,
  emit: (event: Event) => void,
  { agentId, taskIds }: { agentId: string; taskIds: readonly number[] },
): Promise<void> {
  for (const ids of chunk(taskIds)) await approveTasks(tx, ids)
  await markTasksStale(tx, emit, { agentIds: [agentId] })
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
