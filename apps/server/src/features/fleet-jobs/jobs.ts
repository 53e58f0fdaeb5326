import { pruneBefore } from '@muster/rules/schedules/retention'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'
import type { Db } from '../../platform/database/database.ts'
import { DeletionSteps } from '../../platform/database/deletion-steps.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay, everyMinute } from '../../platform/jobs/schedule.ts'
import { startDueJobs } from './repeating-jobs/repeating-jobs.ts'

export function fleetJobJobs(ctx: Context, fleet: Fleet): Job[] {
  return [
    { name: 'fleet-jobs.repeat', schedule: everyMinute, run: () => startDueJobs(ctx, fleet) },
    {
      name: 'fleet-jobs.remove-old',
      schedule: everyDay('03:40'),
      run: (_, signal) => removeOldJobs(ctx, signal),
    },
  ]
}

const JOBS_AT_ONCE = 20

/** Deletes jobs that ended before the retention limit of runs. Their machines are deleted first, in steps. */
export async function removeOldJobs(ctx: Context, signal: AbortSignal): Promise<void> {
  const { agent_history_prune_days: days } = await readCoreSettings(ctx.db)
  const before = pruneBefore(days, ctx.now())
  if (before === undefined) return
  const steps = new DeletionSteps(ctx, signal)
  for (;;) {
    signal.throwIfAborted()
    const rows = await ctx.db
      .selectFrom('fleet_jobs')
      .select('id')
      .where('finished_at', '<', before)
      .where('state', 'in', ['done', 'stopped'])
      .limit(JOBS_AT_ONCE)
      .execute()
    if (rows.length === 0) break
    const ids = rows.map(({ id }) => id)
    await steps.take((tx, limit) => deleteMachines(tx, ids, limit))
    await steps.take(async (tx) =>
      Number((await tx.deleteFrom('fleet_jobs').where('id', 'in', ids).executeTakeFirst()).numDeletedRows),
    )
  }
  ctx.log.info(steps.figures, 'old jobs deleted')
}

async function deleteMachines(tx: Db, ids: number[], limit: number): Promise<number> {
  const result = await tx
    .deleteFrom('fleet_job_agents')
    .where((eb) =>
      eb(
        eb.refTuple('job_id', 'agent_id'),
        'in',
        eb
          .selectFrom('fleet_job_agents as old')
          .select(['old.job_id', 'old.agent_id'])
          .where('old.job_id', 'in', ids)
          .limit(limit)
          .$asTuple('job_id', 'agent_id'),
      ),
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
