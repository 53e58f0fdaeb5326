import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyHour } from '../../platform/jobs/schedule.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Db } from '../../platform/database/database.ts'
import { removeOverTasks } from './remove-over-tasks.ts'

const AGAIN_AFTER_MS = 60_000
const MAX_TRIES = 10

export function tasksJobs(ctx: Context, fleet: Fleet): Job[] {
  return [
    {
      name: FAILURE_JOB,
      // Enqueued by failure-tasks.ts and below.
      run: (payload) => runAfterFailure(ctx, fleet, payload as FailureRun),
    },
    { name: 'tasks.remove-over', schedule: everyHour, run: () => removeOverTasks(ctx) },
  ]
}

async function runAfterFailure(ctx: Context, fleet: Fleet, run: FailureRun): Promise<void> {
  const task = await ctx.db
    .selectFrom('tasks')
    .innerJoin('agents', 'agents.agent_id', 'tasks.agent_id')
    .select(['tasks.agent_id'])
    .where('tasks.id', '=', run.task_id)
    .where('enabled', '=', 1)
    // A machine in maintenance must not be repaired automatically.
    .where('maintenance_mode', '=', 0)
    .executeTakeFirst()
  if (task === undefined) return
  const input = { id: run.task_id, run_id: run.run_id, trigger: 'checkfailure' as const }
  if (await fleet.sendAgentCommand(task.agent_id, 'run-task', { input, author: 'server' })) return
  // The machine has just sent the result: it reconnects soon, or the task is no longer useful.
  if (run.tries >= MAX_TRIES) return
  const dueAt = new Date(ctx.now().getTime() + AGAIN_AFTER_MS)
  await ctx.jobs.enqueue(FAILURE_JOB, { ...run, tries: run.tries + 1 }, { dueAt })
}

const FAILURE_JOB = 'tasks.run-after-failure'
interface FailureRun {
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
