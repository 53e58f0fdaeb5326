import type { Context } from '../../../context.ts'
import type { Job } from '../../../platform/jobs/run-job.ts'
import { everyDay } from '../../../platform/jobs/schedule.ts'
import { deleteActionsBefore } from './queries.ts'

const KEEP_MS = 30 * 86_400_000

/** Deletes actions that ended a month ago. The audit log keeps them. */
export function pendingActionsJobs(ctx: Context): Job[] {
  return [
    {
      name: 'pending-actions.forget-over',
      schedule: everyDay('03:55'),
      run: () => deleteActionsBefore(ctx.db, new Date(ctx.now().getTime() - KEEP_MS).toISOString()),
    },
  ]
}
