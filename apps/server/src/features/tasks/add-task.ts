import { type createTask, TASK_DEFAULTS, type TaskFields } from '@muster/contract/api/tasks'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { audit } from '../audit/write-audit.ts'
import { refuseRuns, runsOfTask } from '../users/roles/refuse-runs.ts'
import { requireWholeClient } from '../clients/require-node.ts'
import { countTasks, insertTask, type TaskRow, writeTaskScripts } from './queries.ts'
import { redefineTasks } from './redefine-tasks.ts'
import { requireTask } from './require-task.ts'
import { refuseBadTask, refusePast, toColumns } from './task-columns.ts'
import { scriptIdsOf, viewForAudit } from './view.ts'
import { refuseBadField } from './refuse-field.ts'
import { zoneOf } from './zone-of.ts'

/** More would not fit into what is sent to a machine at once. */
const MOST_TASKS = 200

export function addTask(
  ctx: Context,
  caller: Caller,
  {
    agent: agentId,
    ...given
  }: Omit<Parsed<typeof createTask>['body'], 'agent' | 'policy' | 'task_supported_platforms'> & {
    agent: string
  },
): Promise<TaskRow> {
  return ctx.transaction(async (tx, emit) => {
    const agent = await requireAgent(tx, agentId, caller)
    const at = ctx.now()
    // What is not given is absent, and leaves the default.
    const task: TaskFields = { ...TASK_DEFAULTS, ...given } as TaskFields
    const author_id = await refuseRuns(tx, caller, { after: runsOfTask(task) })
    await refuseBadTask(tx, agent, task)
    const model = await refuseBadField(tx, caller, { task, before: undefined })
    if (model === 'client') await requireWholeClient(tx, agent.client_id, caller)
    refusePast(task, await zoneOf(tx, agentId), at)
    if ((await countTasks(tx, agentId)) >= MOST_TASKS)
      throw new AppError('conflict', `A machine has at most ${MOST_TASKS} tasks.`)
    const { id } = await insertTask(tx, {
      agent_id: agentId,
      ...toColumns(task),
      counts_from: at.toISOString(),
      revision: '',
      author_id,
      policy_id: null,
      policy_task: null,
      overridden_by: null,
      version: 0,
      created_at: at.toISOString(),
      modified: at.toISOString(),
      modified_by: caller.username,
    })
    await writeTaskScripts(tx, id, scriptIdsOf(task))
    await redefineTasks(tx, emit, { taskIds: [id] })
    const row = await requireTask(tx, caller, id)
    await audit(tx, {
      caller,
      action: 'add',
      object_type: 'automatedtask',
      message: `Added the task "${row.name}" to "${agent.hostname}"`,
      after: viewForAudit(row),
      agent,
      at,
      emit,
    })
    emit({ type: 'task.changed', ids: [id], agent_ids: [agentId] })
    return row
  })
}
