import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay, everyMinute } from '../../platform/jobs/schedule.ts'
import { emitAgedResults } from './aged-results.ts'
import { mergeSamples } from '../../samples/merge-samples.ts'
import { pruneSamples } from '../../samples/partitions.ts'

/**
 * Samples of a machine are merged twice an hour: often enough to keep batches few, seldom enough to write each chunk
 * rarely.
 */
const MERGE_AFTER_SECONDS = 30 * 60

export function checksJobs(ctx: Context): Job[] {
  // Local to this process. If several processes alternate, each starts at its own last run.
  let agedUntil = 0
  return [
    {
      name: 'checks.merge-samples',
      schedule: everyMinute,
      run: (_, signal) => mergeSamples(ctx, { olderThanSeconds: MERGE_AFTER_SECONDS, signal }),
    },
    {
      name: 'checks.find-aged',
      schedule: everyMinute,
      run: async (_, signal) => {
        agedUntil = await emitAgedResults(ctx, agedUntil, signal)
      },
    },
    {
      name: 'checks.prune-samples',
      schedule: everyDay('03:40'),
      run: (_, signal) => pruneSamples(ctx, signal),
    },
  ]
}
