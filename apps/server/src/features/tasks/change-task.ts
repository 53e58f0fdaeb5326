import type { editTask, TaskFields } from '@muster/contract/api/tasks'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { TaskSchedule } from '@muster/contract/agent/tasks'
import type { Context } from '../../context.ts'
import { laterThan } from '../../platform/database/later-than.ts'
import { lockRow } from '../../platform/database/lock-row.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { takeTaskFindings } from '../alerts/task-alerts.ts'
import { audit } from '../audit/write-audit.ts'
import { refuseRuns, runsOfTask } from '../users/roles/refuse-runs.ts'
import { requireWholeClient } from '../clients/require-node.ts'
import { type TaskRow, updateTask, writeTaskScripts } from './queries.ts'
import { redefineTasks } from './redefine-tasks.ts'
import { requireOwnTask, requireTask } from './require-task.ts'
import { refuseBadTask, refusePast, toColumns } from './task-columns.ts'
import { readFields, scriptIdsOf, viewForAudit } from './view.ts'
import { refuseBadField } from './refuse-field.ts'
import { zoneOf } from './zone-of.ts'

type Change = Parsed<typeof editTask>['body']

/** Changes some or all of a task. */
export function changeTask(
  ctx: Context,
  caller: Caller,
  id: number,
  { modified, ...change }: Change,
): Promise<TaskRow> {
  return ctx.transaction(async (tx, emit) => {
    await lockRow(tx, 'tasks', 'id', id)
    const before = await requireOwnTask(tx, caller, id)
    if (modified !== undefined && modified !== before.modified) refuseOldSave(before)
    const agent = await requireAgent(tx, before.agent_id, caller)
    const fields = readFields(before)
    // What is not given is absent, and leaves what is there.
    const task = { ...fields, ...change } as TaskFields
    const at = ctx.now()
    const author_id = await refuseRuns(tx, caller, {
      before: { runs: runsOfTask(fields), author: before.author_id },
      after: runsOfTask(task),
    })
    await refuseBadTask(tx, agent, task)
    const model = await refuseBadField(tx, caller, { task, before: fields })
    if (model === 'client') await requireWholeClient(tx, agent.client_id, caller)
    const isOtherTime = timesOf(task) !== timesOf(fields)
    if (isOtherTime) refusePast(task, await zoneOf(tx, agent.agent_id), at)
    await updateTask(tx, id, {
      ...toColumns(task),
      author_id,
      // What would have been before was not missed.
      ...(isOtherTime ? { counts_from: at.toISOString() } : {}),
      modified: laterThan(before.modified, at),
      modified_by: caller.username,
    })
    await writeTaskScripts(tx, id, scriptIdsOf(task))
    await redefineTasks(tx, emit, { taskIds: [id] })
    if (fields.enabled && !task.enabled) {
      const off = { taskId: id, at, severity: null, text: 'The task was switched off.' }
      await takeTaskFindings({ ctx, tx, emit }, [off])
    }
    const after = await requireTask(tx, caller, id)
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'automatedtask',
      message: `${verbOf(fields, task)} the task "${after.name}" of "${agent.hostname}"`,
      before: viewForAudit(before),
      after: viewForAudit(after),
      agent,
      at,
      emit,
    })
    emit({ type: 'task.changed', ids: [id], agent_ids: [agent.agent_id] })
    return after
  })
}

/** When it runs, and whether it does. */
export function timesOf(task: TaskFields): string {
  return JSON.stringify([TaskSchedule.parse(task), task.enabled])
}

function verbOf(before: TaskFields, after: TaskFields): string {
  if (before.enabled === after.enabled) return 'Changed'
  return after.enabled ? 'Switched on' : 'Switched off'
}

function refuseOldSave({ modified_by, name, hostname }: TaskRow): never {
  throw new AppError(
    'changed_meanwhile',
    `${modified_by} has changed "${name}" of ${hostname} since you opened it.`,
  )
}
