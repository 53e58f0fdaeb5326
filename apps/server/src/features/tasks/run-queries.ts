import type { Insertable } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { TaskResultsTable, TaskRunsTable } from '../../platform/database/tables/tasks.ts'

/** Stored runs per task. */
const KEEP_RUNS = 200

/** Reports may contain any id. Ids beyond the range of the column belong to no task. */
export function possibleTasks(ids: readonly number[]): number[] {
  return ids.filter((id) => id > 0 && id <= 2_147_483_647)
}

export async function findKnownTasks(tx: Db, ids: readonly number[]) {
  const possible = possibleTasks(ids)
  if (possible.length === 0) return []
  return tx
    .selectFrom('tasks')
    .leftJoin('task_results', 'task_results.task_id', 'tasks.id')
    .select(['tasks.id', 'tasks.agent_id', 'tasks.name', 'tasks.alert_severity', 'last_run', 'status'])
    .select(['custom_field', 'collector_all_output'])
    .where('tasks.id', 'in', possible)
    .where('overridden_by', 'is', null)
    .execute()
}

export async function findRunState(tx: Db, taskId: number, runId: string) {
  const row = await tx
    .selectFrom('task_runs')
    .select('state')
    .where('task_id', '=', taskId)
    .where('run_id', '=', runId)
    .executeTakeFirst()
  return row?.state
}

/** Stores a run or its change. */
export async function upsertRun(tx: Db, run: Insertable<TaskRunsTable>): Promise<void> {
  const { task_id: _, run_id: __, ...values } = run
  await tx
    .insertInto('task_runs')
    .values(run)
    .onConflict((conflict) => conflict.columns(['task_id', 'run_id']).doUpdateSet(values))
    .execute()
}

export async function upsertTaskResult(tx: Db, result: Insertable<TaskResultsTable>): Promise<void> {
  const { task_id: _, ...values } = result
  await tx
    .insertInto('task_results')
    .values(result)
    .onConflict((conflict) => conflict.column('task_id').doUpdateSet(values))
    .execute()
}

/** The start of a run changes nothing else of the last result. */
export async function markRunning(tx: Db, taskId: number): Promise<void> {
  await tx
    .insertInto('task_results')
    .values({
      task_id: taskId,
      status: 'pending',
      run_status: 'running',
      retcode: null,
      stdout: '',
      stderr: '',
      execution_time: null,
      last_run: null,
      more_info: '',
    })
    .onConflict((conflict) => conflict.column('task_id').doUpdateSet({ run_status: 'running' }))
    .execute()
}

export async function hasRunning(tx: Db, taskId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('task_runs')
    .select('id')
    .where('task_id', '=', taskId)
    .where('state', '=', 'running')
    .executeTakeFirst()
  return row !== undefined
}

export async function pruneRuns(tx: Db, taskId: number): Promise<void> {
  await tx
    .deleteFrom('task_runs')
    .where('task_id', '=', taskId)
    .where('id', 'not in', (query) =>
      query
        .selectFrom('task_runs')
        .select('id')
        .where('task_id', '=', taskId)
        .orderBy('id', 'desc')
        .limit(KEEP_RUNS),
    )
    .execute()
}

/** Newest first, without their output. */
export function findRuns(db: Db, taskId: number) {
  return db
    .selectFrom('task_runs')
    .select(['id', 'task_id', 'run_id', 'state', 'trigger', 'status', 'planned_at', 'started_at', 'ended_at'])
    .select(['retcode', 'execution_time', 'more_info', 'missed'])
    .where('task_id', '=', taskId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export function findRun(db: Db, taskId: number, id: number) {
  return db
    .selectFrom('task_runs')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The reported time zone of a machine. Empty while it is unknown. */
export async function zoneOf(db: Db, agentId: string): Promise<string> {
  const row = await db
    .selectFrom('agent_facts')
    .innerJoin('agents', 'agents.id', 'agent_facts.agent')
    .select('facts')
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
  // Stored by store-facts.ts with the contract's schema.
  const { time_zone = '' } = JSON.parse(row?.facts ?? '{}') as { time_zone?: string }
  return time_zone
}
