import type { Context } from '../../context.ts'
import { lockRow } from '../../platform/database/lock-row.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Scene } from '../alerts/store-lives.ts'
import { takeTaskFindings } from '../alerts/task-alerts.ts'
import { audit } from '../audit/write-audit.ts'
import { deleteTaskRow, type TaskRow } from './queries.ts'
import { redefineTasks } from './redefine-tasks.ts'
import { requireOwnTask } from './require-task.ts'
import { viewForAudit } from './view.ts'

/** Deletes a task with its runs; one that runs is ended on its machine. */
export function removeTask(ctx: Context, caller: Caller, id: number): Promise<void> {
  return ctx.transaction(async (tx, emit) => {
    // A result that arrives in this moment is stored before, and its alert ends with the task.
    await lockRow(tx, 'tasks', 'id', id)
    const task = await requireOwnTask(tx, caller, id)
    await takeAway({ ctx, tx, emit }, task, {
      by: caller,
      message: `Deleted the task "${task.name}" of "${task.hostname}"`,
    })
  })
}

/** Deletes a task that the transaction has locked. */
export async function takeAway(
  { ctx, tx, emit }: Scene,
  task: TaskRow,
  { by, message }: { by: Pick<Caller, 'username' | 'source'>; message: string },
): Promise<void> {
  const { id, agent_id } = task
  const at = ctx.now()
  const over = { taskId: id, at, severity: null, text: 'The task was deleted.' }
  await takeTaskFindings({ ctx, tx, emit }, [over])
  await deleteTaskRow(tx, id)
  await redefineTasks(tx, emit, { agentIds: [agent_id] })
  await audit(tx, {
    caller: by,
    action: 'delete',
    object_type: 'automatedtask',
    message,
    before: viewForAudit(task),
    agent: task,
    at,
    emit,
  })
  emit({ type: 'task.changed', ids: [id], agent_ids: [agent_id] })
  emit({ type: 'agent.changed', ids: [agent_id], agent_ids: [agent_id] })
}
