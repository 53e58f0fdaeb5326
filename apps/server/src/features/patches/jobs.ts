import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay, everyHour, everyMinute } from '../../platform/jobs/schedule.ts'
import { deleteUnusedPatches, recordPatchDay } from './fleet-patches.ts'
import { advanceInstalls, deleteOldInstalls } from './policy/installs.ts'
import { judgeDue, noteWindows } from './policy/judge-patches.ts'

export function patchesJobs(ctx: Context, fleet: Fleet): Job[] {
  return [
    { name: 'patches.record-day', schedule: everyHour, run: () => recordPatchDay(ctx.db, ctx.now()) },
    {
      name: 'patches.remove-unused',
      schedule: everyDay('03:45'),
      run: () => deleteUnusedPatches(ctx.db, ctx.now()),
    },
    {
      name: 'patches.remove-old-installs',
      schedule: everyDay('03:50'),
      run: () => deleteOldInstalls(ctx),
    },
    {
      name: 'patches.apply-policies',
      schedule: everyMinute,
      run: async (_, signal) => {
        await noteWindows(ctx)
        await judgeDue(ctx, signal)
        await advanceInstalls(ctx, fleet, signal)
        // Plans the next installation of those that began.
        await judgeDue(ctx, signal)
      },
    },
  ]
}
