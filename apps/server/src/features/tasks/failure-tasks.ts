import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'

export const FAILURE_JOB = 'tasks.run-after-failure'
export interface FailureRun {
  task_id: number
  run_id: string
  /** Number of attempts to reach the machine. */
  tries: number
}

/** Call when checks have started to fail: runs the tasks for their failure after the commit. */
export async function startFailureTasks(
  { jobs }: Pick<Context, 'jobs'>,
  tx: Db,
  checkIds: readonly number[],
): Promise<void> {
  if (checkIds.length === 0) return
  const tasks = await tx
    .selectFrom('tasks')
    .select('id')
    .where('assigned_check', 'in', checkIds)
    .where('task_type', '=', 'checkfailure')
    .where('enabled', '=', 1)
    .where('overridden_by', 'is', null)
    .execute()
  for (const { id } of tasks) {
    const payload: FailureRun = { task_id: id, run_id: randomUUID(), tries: 0 }
    await jobs.enqueue(FAILURE_JOB, payload, { db: tx })
  }
}
