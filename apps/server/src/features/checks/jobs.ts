import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay, everyMinute } from '../../platform/jobs/schedule.ts'
import { emitAgedResults } from './aged-results.ts'
import { mergeSamples } from '../../samples/merge-samples.ts'
import { pruneSamples } from '../../samples/prune-samples.ts'

/** A machine's samples are merged twice an hour: often enough to keep batches few, and each chunk is written seldom. */
const MERGE_AFTER_SECONDS = 30 * 60

export function checksJobs(ctx: Context): Job[] {
  // Of this process: where several take turns, each looks back to its own last turn.
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
