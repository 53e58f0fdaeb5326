import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyHour } from '../../platform/jobs/schedule.ts'
import { forecastDisks } from './forecast-disks.ts'

export function overviewJobs(ctx: Context): Job[] {
  return [
    {
      name: 'overview.forecast-disks',
      schedule: everyHour,
      run: (_, signal) => forecastDisks(ctx, signal),
    },
  ]
}
