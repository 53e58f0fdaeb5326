import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'

export const RUN_JOB = 'alert-templates.run-action'

/** Enqueues an action. It has one job, whatever the number of calls. */
export async function enqueueAction({ jobs }: Pick<Context, 'jobs'>, tx: Db, id: number): Promise<void> {
  await jobs.enqueue(RUN_JOB, { id }, { id: `alert-action:${id}:0`, db: tx })
}
