import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay } from '../../platform/jobs/schedule.ts'
import { removeOldEntries } from './remove-old-entries.ts'

export function auditJobs(ctx: Context): Job[] {
  return [
    {
      name: 'audit.remove-old',
      schedule: everyDay('03:10'),
      run: (_, signal) => removeOldEntries(ctx, signal),
    },
  ]
}
