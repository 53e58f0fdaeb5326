import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay } from '../../platform/jobs/schedule.ts'
import { removeOldRuns } from './remove-old-runs.ts'

export function historyJobs(ctx: Context): Job[] {
  return [
    {
      name: 'history.remove-old',
      schedule: everyDay('03:30'),
      run: (_, signal) => removeOldRuns(ctx, signal),
    },
  ]
}
