import type { PolicyItemRef } from '@muster/contract/policies/policy-items'
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Engine } from '../../platform/database/columns.ts'
import type { Db } from '../../platform/database/database.ts'
import type { TaskResultsTable, TasksTable } from '../../platform/database/tables/tasks.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'

type Viewer = { scope: Scope }
type Result = Selectable<TaskResultsTable>
/** A task with its last result, whose columns are null before the first run. */
export type TaskRow = Selectable<TasksTable> & { [Name in keyof Result]: Result[Name] | null } & {
  hostname: string
  tasks_known: number
  server_machine: 0 | 1
  policy_name: string | null
  custom_field_name: string | null
}

function selectTasks(db: Db, caller: Viewer) {
  return db
    .selectFrom('tasks')
    .innerJoin('agents', 'agents.agent_id', 'tasks.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .leftJoin('task_results', 'task_results.task_id', 'tasks.id')
    .leftJoin('policies', 'policies.id', 'tasks.policy_id')
    .leftJoin('custom_fields', 'custom_fields.id', 'tasks.custom_field')
    .selectAll('tasks')
    .select(['task_id', 'status', 'run_status', 'retcode', 'stdout', 'stderr', 'execution_time'])
    .select(['last_run', 'more_info', 'agents.hostname', 'agents.tasks_known', 'agents.server_machine'])
    .select(['policies.name as policy_name', 'custom_fields.name as custom_field_name'])
    .where(visibleTo(caller))
}

/** Tasks of one machine, or all visible ones. */
export function findTasks(db: Db, caller: Viewer, agentId?: string): Promise<TaskRow[]> {
  return selectTasks(db, caller)
    .$if(agentId !== undefined, (query) => query.where('tasks.agent_id', '=', agentId ?? ''))
    .orderBy('tasks.id')
    .execute()
}

export function findTask(db: Db, caller: Viewer, id: number): Promise<TaskRow | undefined> {
  return selectTasks(db, caller).where('tasks.id', '=', id).executeTakeFirst()
}

/** One task of a policy, on each visible machine that has it. */
export function findPolicyTaskRows(db: Db, caller: Viewer, of: PolicyItemRef): Promise<TaskRow[]> {
  const all = selectTasks(db, caller).where('tasks.policy_id', '=', of.policy)
  return all.where('tasks.policy_task', '=', of.number).execute()
}

/** The number of the machine's own tasks. */
export async function countTasks(db: Db, agentId: string): Promise<number> {
  const { count } = await db
    .selectFrom('tasks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('agent_id', '=', agentId)
    .where('policy_id', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export function insertTask(db: Db, task: Insertable<TasksTable>): Promise<{ id: number }> {
  return db.insertInto('tasks').values(task).returning('id').executeTakeFirstOrThrow()
}

export async function updateTask(db: Db, id: number, change: Updateable<TasksTable>): Promise<void> {
  await db.updateTable('tasks').set(change).where('id', '=', id).execute()
}

export async function deleteTaskRow(db: Db, id: number): Promise<void> {
  await db.deleteFrom('tasks').where('id', '=', id).execute()
}

/** Stores which scripts a task uses. */
export async function writeTaskScripts(db: Db, taskId: number, scriptIds: readonly number[]): Promise<void> {
  await db.deleteFrom('task_scripts').where('task_id', '=', taskId).execute()
  const rows = [...new Set(scriptIds)].map((script_id) => ({ task_id: taskId, script_id }))
  if (rows.length > 0) await db.insertInto('task_scripts').values(rows).execute()
}

export async function findTasksOfScript(db: Db, scriptId: number) {
  return db
    .selectFrom('tasks')
    .innerJoin('task_scripts', 'task_scripts.task_id', 'tasks.id')
    .select(['tasks.id', 'tasks.agent_id'])
    .where('script_id', '=', scriptId)
    .orderBy('tasks.id')
    .execute()
}

/** Names of scripts by id. Deleted ones are missing. */
export async function findScriptNames(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('scripts')
    .select(['id', 'name'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Locks these tasks against writers of results until the transaction ends, ordered by id. */
export async function lockTasks(tx: Db, engine: Engine, ids: readonly number[]): Promise<void> {
  if (engine !== 'postgres') return
  await tx.selectFrom('tasks').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
}
