import type { Task, TaskAction, TaskFields, TaskResult, TaskRun } from '@muster/contract/api/tasks'
import type { ActionResult } from '@muster/contract/agent/tasks'
import { describeTask } from '@muster/rules/schedules/task-text'
import { nameCheck } from '@muster/rules/checks/check-name'
import type { Selectable } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { TaskRunsTable } from '../../platform/database/tables/tasks.ts'
import { readSettings } from '../checks/view.ts'
import { findScriptNames, type TaskRow } from './queries.ts'

/** Tasks with the current names of their scripts and checks. */
export async function viewTasks(db: Db, rows: readonly TaskRow[]): Promise<Task[]> {
  const fields = rows.map(readFields)
  const names = await findScriptNames(db, fields.flatMap(scriptIdsOf))
  const checks = await findCheckNames(db, rows)
  return rows.map((row, index) => {
    // As many as there are rows.
    const task = fields[index]!
    return {
      id: row.id,
      agent_id: row.agent_id,
      ...task,
      actions: task.actions.map((action) =>
        action.type === 'script' ? { ...action, name: names.get(action.script) ?? '' } : action,
      ),
      policy: row.policy_id,
      policy_name: row.policy_name,
      overridden_by_policy: row.overridden_by !== null,
      schedule: describeTask(task),
      check_name: row.assigned_check === null ? null : (checks.get(row.assigned_check) ?? null),
      custom_field_name: row.custom_field_name,
      task_result: viewResult(row),
      modified: row.modified,
    }
  })
}

export async function viewTask(db: Db, row: TaskRow): Promise<Task> {
  const [task] = await viewTasks(db, [row])
  // One row makes one task.
  return task!
}

type Stored = Pick<
  TaskRow,
  | 'name'
  | 'enabled'
  | 'task_type'
  | 'settings'
  | 'actions'
  | 'alert_severity'
  | 'assigned_check'
  | 'custom_field'
  | 'collector_all_output'
>

export function readFields(row: Stored): TaskFields {
  const { name, enabled, task_type, alert_severity, assigned_check, custom_field } = row
  // Stored by task-columns.ts with the contract's schema. One field was added later.
  const settings = JSON.parse(row.settings) as Omit<
    TaskFields,
    'actions' | keyof Stored | 'remove_if_not_scheduled'
  >
  return {
    name,
    enabled: enabled === 1,
    task_type,
    alert_severity,
    assigned_check,
    custom_field,
    collector_all_output: row.collector_all_output === 1,
    actions: readTaskActions(row),
    remove_if_not_scheduled: false,
    ...settings,
  }
}

export function readTaskActions({ actions }: Pick<Stored, 'actions'>): TaskAction[] {
  // Stored by task-columns.ts with the contract's schema.
  return JSON.parse(actions) as TaskAction[]
}

export function scriptIdsOf({ actions }: Pick<TaskFields, 'actions'>): number[] {
  return actions.flatMap((action) => (action.type === 'script' ? [action.script] : []))
}

/** The fields of a task in audit rows. */
export function viewForAudit(row: Stored) {
  return readFields(row)
}

export function viewRun(row: Omit<Selectable<TaskRunsTable>, 'actions'>): TaskRun {
  const { id, state, trigger, status, planned_at, started_at, ended_at, more_info, missed } = row
  return {
    id,
    state,
    trigger,
    status,
    planned_at,
    started_at,
    ended_at,
    retcode: row.retcode === null ? null : Number(row.retcode),
    execution_time: row.execution_time,
    more_info,
    missed,
  }
}

export function readActions(actions: string): ActionResult[] {
  // Stored by store-task-reports.ts with the contract's schema.
  return JSON.parse(actions) as ActionResult[]
}

function viewResult(row: TaskRow): TaskResult {
  const isNew = row.modified === row.created_at
  return {
    status: row.status ?? 'pending',
    sync_status: row.version <= row.tasks_known ? 'synced' : isNew ? 'initial' : 'notsynced',
    run_status: row.run_status,
    retcode: row.retcode === null ? null : Number(row.retcode),
    stdout: row.stdout ?? '',
    stderr: row.stderr ?? '',
    execution_time: row.execution_time,
    last_run: row.last_run,
    more_info: row.more_info ?? '',
  }
}

async function findCheckNames(db: Db, rows: readonly TaskRow[]): Promise<Map<number, string>> {
  const ids = [...new Set(rows.flatMap(({ assigned_check }) => assigned_check ?? []))]
  if (ids.length === 0) return new Map()
  const checks = await db
    .selectFrom('checks')
    .leftJoin('scripts', 'scripts.id', 'checks.script_id')
    .select(['checks.id', 'check_type', 'settings', 'scripts.name as script_name'])
    .where('checks.id', 'in', ids)
    .execute()
  return new Map(
    checks.map(({ id, script_name, ...row }) => [
      id,
      nameCheck({ settings: readSettings(row), script_name }),
    ]),
  )
}
