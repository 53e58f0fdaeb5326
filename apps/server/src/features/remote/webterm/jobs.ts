import type { Context } from '../../../context.ts'
import type { Job } from '../../../platform/jobs/run-job.ts'
import { everyMinute } from '../../../platform/jobs/schedule.ts'
import { endLostWebTerminals } from './end-web-terminal.ts'

export function webTermJobs(ctx: Context): Job[] {
  return [{ name: 'webterm.end-lost', schedule: everyMinute, run: () => endLostWebTerminals(ctx) }]
}
