import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay, everyMinute } from '../../platform/jobs/schedule.ts'
import { deleteOldUploads } from './package-files/write-package-file.ts'
import { enforceSoftware } from './policy/enforce-software.ts'

const SLICE = 500

/** Deletes versions that no machine has. */
export function softwareJobs(ctx: Context, fleet: Fleet): Job[] {
  return [
    { name: 'software.forget-unused', schedule: everyDay('03:40'), run: () => deleteUnused(ctx) },
    { name: 'software.delete-uploads', schedule: everyDay('03:50'), run: () => deleteOldUploads(ctx) },
    {
      name: 'software.enforce-policies',
      schedule: everyMinute,
      run: (_, signal) => enforceSoftware(ctx, fleet, signal),
    },
  ]
}

async function deleteUnused(ctx: Context): Promise<void> {
  for (let after = 0; ;) {
    const rows = await ctx.db
      .selectFrom('software_packages')
      .select('id')
      .where('id', '>', after)
      .orderBy('id')
      .limit(SLICE)
      .execute()
    const last = rows.at(-1)
    if (last === undefined) return
    await ctx.db
      .deleteFrom('software_packages')
      .where('id', '>', after)
      .where('id', '<=', last.id)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('machine_software')
              .select('machine_software.agent')
              .whereRef('package', '=', 'software_packages.id'),
          ),
        ),
      )
      .execute()
    after = last.id
    await new Promise(setImmediate)
  }
}
