import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { findTasksOfScript } from './queries.ts'
import { redefineTasks } from './redefine-tasks.ts'

/** Call it after a script was changed: the machines that run it in a task get its new text. */
export async function redefineTasksOf(tx: Db, emit: (event: Event) => void, scriptId: number): Promise<void> {
  const tasks = await findTasksOfScript(tx, scriptId)
  await redefineTasks(tx, emit, { taskIds: tasks.map(({ id }) => id) })
}

/** Call it around the deletion of a script: tasks that need it are not run any more, and say so. */
export async function deleteWithTasks(
  tx: Db,
  emit: (event: Event) => void,
  script: { id: number; remove: () => Promise<void> },
): Promise<void> {
  const tasks = await findTasksOfScript(tx, script.id)
  await script.remove()
  await redefineTasks(tx, emit, { taskIds: tasks.map(({ id }) => id) })
  const ids = tasks.map(({ id }) => id)
  if (ids.length > 0) emit({ type: 'task.changed', ids, agent_ids: tasks.map(({ agent_id }) => agent_id) })
}
