import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay, everyMinute } from '../../platform/jobs/schedule.ts'
import { mergeSamples } from './samples/merge-samples.ts'
import { pruneSamples } from './samples/prune-samples.ts'

/** A machine's samples are merged twice an hour: often enough to keep batches few, and each chunk is written seldom. */
const MERGE_AFTER_SECONDS = 30 * 60

export function checksJobs(ctx: Context): Job[] {
  return [
    {
      name: 'checks.merge-samples',
      schedule: everyMinute,
      run: (_, signal) => mergeSamples(ctx, { olderThanSeconds: MERGE_AFTER_SECONDS, signal }),
    },
    {
      name: 'checks.prune-samples',
      schedule: everyDay('03:40'),
      run: (_, signal) => pruneSamples(ctx, signal),
    },
  ]
}
