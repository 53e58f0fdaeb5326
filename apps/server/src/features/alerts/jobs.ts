import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay } from '../../platform/jobs/schedule.ts'
import { removeOldAlerts } from './remove-old-alerts.ts'

export function alertsJobs(ctx: Context): Job[] {
  return [
    {
      name: 'alerts.remove-old',
      schedule: everyDay('03:20'),
      run: (_, signal) => removeOldAlerts(ctx, signal),
    },
  ]
}
