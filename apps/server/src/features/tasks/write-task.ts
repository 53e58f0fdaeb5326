import { type createTask, type editTask, TASK_DEFAULTS, type TaskFields } from '@muster/contract/api/tasks'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { TaskSchedule } from '@muster/contract/agent/tasks'
import type { CustomFieldModel } from '@muster/contract/custom-field-values'
import type { Context } from '../../context.ts'
import { type Caller, mayDo, type Scope } from '../../platform/http/caller.ts'
import { requireAgentToAct } from '../agents/refuse-server-machine.ts'
import { audit } from '../audit/write-audit.ts'
import { refuseRuns, runsOfTask } from '../users/roles/refuse-runs.ts'
import { requireWholeClient } from '../clients/require-node.ts'
import { completeEnvironment } from '../scripts/complete-environment.ts'
import { laterThan, lockRow } from '../../platform/database/change-row.ts'
import { takeTaskFindings } from '../alerts/task-alerts.ts'
import type { TxContext } from '../alerts/store-alerts.ts'
import type { Db } from '../../platform/database/database.ts'
import { findField } from '../custom-fields/queries.ts'
import {
  countTasks,
  deleteTaskRow,
  findTask,
  insertTask,
  type TaskRow,
  updateTask,
  writeTaskScripts,
} from './queries.ts'
import { markTasksStale } from './mark-tasks-stale.ts'
import { refuseBadTask, refusePast, toColumns } from './task-columns.ts'
import { readFields, scriptIdsOf, viewForAudit } from './view.ts'
import { zoneOf } from './run-queries.ts'

/** More would not fit into one command. */
const MAX_TASKS = 200

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
    const agent = await requireAgentToAct(tx, agentId, caller)
    const at = ctx.now()
    // Omitted fields get their default.
    const task = await completeTask(tx, { ...TASK_DEFAULTS, ...given } as TaskFields)
    const author_id = await refuseRuns(tx, caller, { after: runsOfTask(task) })
    await refuseBadTask(tx, agent, task)
    const model = await refuseBadField(tx, caller, { task, before: undefined })
    if (model === 'client') await requireWholeClient(tx, agent.client_id, caller)
    refusePast(task, await zoneOf(tx, agentId), at)
    if ((await countTasks(tx, agentId)) >= MAX_TASKS)
      throw new AppError('conflict', `A machine is limited to ${MAX_TASKS} tasks. Delete one first.`)
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
    await markTasksStale(tx, emit, { taskIds: [id], by: caller })
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

/** The task with the default values of its scripts' parameters. Throws for a missing or wrong value. */
async function completeTask(db: Db, task: TaskFields): Promise<TaskFields> {
  const ids = scriptIdsOf(task)
  if (ids.length === 0) return task
  const rows = await db.selectFrom('scripts').select(['id', 'parameters']).where('id', 'in', ids).execute()
  const scripts = new Map(rows.map((script) => [script.id, script]))
  const actions = task.actions.map((action, index) => {
    const script = action.type === 'script' ? scripts.get(action.script) : undefined
    if (action.type !== 'script' || script === undefined) return action
    return { ...action, env_vars: completeEnvironment(script, action.env_vars, `actions.${index}.`) }
  })
  return { ...task, actions }
}

type Change = Parsed<typeof editTask>['body']

/** Changes some or all fields of a task. */
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
    const agent = await requireAgentToAct(tx, before.agent_id, caller)
    const fields = readFields(before)
    // Omitted fields are unchanged.
    const changed = { ...fields, ...change } as TaskFields
    const task = change.actions === undefined ? changed : await completeTask(tx, changed)
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
      // Times before the change do not count as missed.
      ...(isOtherTime ? { counts_from: at.toISOString() } : {}),
      modified: laterThan(before.modified, at),
      modified_by: caller.username,
    })
    await writeTaskScripts(tx, id, scriptIdsOf(task))
    await markTasksStale(tx, emit, { taskIds: [id], by: caller })
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

/** The fields that decide when and whether it runs. */
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
    `"${name}" of ${hostname} was changed by ${modified_by}. Reload it and try again.`,
  )
}

/** Deletes a task with its runs. A running one is ended on its machine. */
export function removeTask(ctx: Context, caller: Caller, id: number): Promise<void> {
  return ctx.transaction(async (tx, emit) => {
    // Concurrent results are stored before, and their alert ends with the task.
    await lockRow(tx, 'tasks', 'id', id)
    const task = await requireOwnTask(tx, caller, id)
    await requireAgentToAct(tx, task.agent_id, caller)
    await takeAway({ ctx, tx, emit }, task, {
      by: caller,
      message: `Deleted the task "${task.name}" of "${task.hostname}"`,
    })
  })
}

/** Deletes a task that the transaction has locked. */
export async function takeAway(
  { ctx, tx, emit }: TxContext,
  task: TaskRow,
  { by, message }: { by: Pick<Caller, 'username' | 'source'>; message: string },
): Promise<void> {
  const { id, agent_id } = task
  const at = ctx.now()
  const over = { taskId: id, at, severity: null, text: 'The task was deleted.' }
  await takeTaskFindings({ ctx, tx, emit }, [over])
  await deleteTaskRow(tx, id)
  await markTasksStale(tx, emit, { agentIds: [agent_id] })
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

/** Returns the task. Throws `not_found` if it does not exist or its machine is not visible. */
export async function requireTask(db: Db, caller: { scope: Scope }, id: number): Promise<TaskRow> {
  const task = await findTask(db, caller, id)
  if (task === undefined) throw new AppError('not_found', 'This task does not exist, or you may not see it.')
  return task
}

/** Refuses tasks of policies, which are changed there. */
async function requireOwnTask(db: Db, caller: { scope: Scope }, id: number): Promise<TaskRow> {
  const task = await requireTask(db, caller, id)
  if (task.policy_id === null) return task
  throw new AppError(
    'conflict',
    `This task comes from the policy "${task.policy_name ?? 'that was just deleted'}". Change it there.`,
  )
}

type Collecting = Pick<TaskFields, 'custom_field' | 'collector_all_output' | 'actions'>

/**
 * Refuses a missing custom field, and one whose values the caller may not change: values of sites and clients reach
 * scripts on other machines. Returns the model of a field that the caller chose or whose content the caller changes.
 */
export async function refuseBadField(
  db: Db,
  caller: Caller,
  { task, before, path = '' }: { task: Collecting; before: Collecting | undefined; path?: string },
): Promise<CustomFieldModel | undefined> {
  const { custom_field: id } = task
  if (id === null || (before !== undefined && partsOf(task) === partsOf(before))) return undefined
  const field = await findField(db, id)
  if (field === undefined) {
    const sentence = 'This custom field does not exist.'
    throw new AppError('invalid', sentence, { fields: { [`${path}custom_field`]: [sentence] } })
  }
  const { model, name } = field
  if (model !== 'agent' && !mayDo(caller, model === 'site' ? 'can_manage_sites' : 'can_manage_clients')) {
    throw new AppError(
      'not_allowed',
      `"${name}" is a field of ${model}s, which your role does not allow you to change. Choose another field.`,
    )
  }
  return model
}

function partsOf({ custom_field, collector_all_output, actions }: Collecting): string {
  return JSON.stringify([custom_field, collector_all_output, actions])
}
