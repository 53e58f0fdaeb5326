import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import type { TxContext } from '../alerts/store-alerts.ts'
import { takeTaskFindings } from '../alerts/task-alerts.ts'
import { findTasksOfScript } from './queries.ts'
import { markTasksStale } from './mark-tasks-stale.ts'

/** Call after a script was changed: machines that run it in a task get the new text. */
export async function markTasksOfScriptStale(
  tx: Db,
  emit: (event: Event) => void,
  scriptId: number,
): Promise<void> {
  const tasks = await findTasksOfScript(tx, scriptId)
  await markTasksStale(tx, emit, { taskIds: tasks.map(({ id }) => id) })
}

/** Call after a snippet was changed: machines get the new text of scripts that may include it. */
export async function markSnippetTasksStale(tx: Db, emit: (event: Event) => void): Promise<void> {
  const tasks = await tx
    .selectFrom('task_scripts')
    .innerJoin('scripts', 'scripts.id', 'task_scripts.script_id')
    .select('task_id')
    .distinct()
    .where('script_body', 'like', '%{{%')
    .orderBy('task_id')
    .execute()
  await markTasksStale(tx, emit, { taskIds: tasks.map(({ task_id }) => task_id) })
}

/** Call to delete a script: tasks that need it no longer run, and say so. */
export async function deleteWithTasks(
  txContext: TxContext,
  script: { id: number; at: Date; remove: () => Promise<void> },
): Promise<void> {
  const { tx, emit } = txContext
  const tasks = await findTasksOfScript(tx, script.id)
  await script.remove()
  if (tasks.length === 0) return
  const ids = tasks.map(({ id }) => id)
  await markTasksStale(tx, emit, { taskIds: ids })
  const text = 'A script of the task was deleted, so it no longer runs.'
  await takeTaskFindings(
    txContext,
    ids.map((taskId) => ({ taskId, at: script.at, severity: null, text })),
  )
  emit({ type: 'task.changed', ids, agent_ids: tasks.map(({ agent_id }) => agent_id) })
}
