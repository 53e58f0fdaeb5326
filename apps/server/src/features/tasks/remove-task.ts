import type { Context } from '../../context.ts'
import { lockRow } from '../../platform/database/lock-row.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { takeTaskFindings } from '../alerts/task-alerts.ts'
import { audit } from '../audit/write-audit.ts'
import { deleteTaskRow } from './queries.ts'
import { redefineTasks } from './redefine-tasks.ts'
import { requireOwnTask } from './require-task.ts'
import { viewForAudit } from './view.ts'

/** Deletes a task with its runs; one that runs is ended on its machine. */
export function removeTask(ctx: Context, caller: Caller, id: number): Promise<void> {
  return ctx.transaction(async (tx, emit) => {
    // A result that arrives in this moment is stored before, and its alert ends with the task.
    await lockRow(tx, 'tasks', 'id', id)
    const task = await requireOwnTask(tx, caller, id)
    const at = ctx.now()
    const over = { taskId: id, at, severity: null, text: 'The task was deleted.' }
    await takeTaskFindings({ ctx, tx, emit }, [over])
    await deleteTaskRow(tx, id)
    await redefineTasks(tx, emit, { agentIds: [task.agent_id] })
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'automatedtask',
      message: `Deleted the task "${task.name}" of "${task.hostname}"`,
      before: viewForAudit(task),
      agent: task,
      at,
      emit,
    })
    emit({ type: 'task.changed', ids: [id], agent_ids: [task.agent_id] })
    emit({ type: 'agent.changed', ids: [task.agent_id], agent_ids: [task.agent_id] })
  })
}
