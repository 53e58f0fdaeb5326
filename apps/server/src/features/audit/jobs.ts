import { pruneBefore } from '@muster/rules/schedules/retention'
import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay } from '../../platform/jobs/schedule.ts'
import type { Db } from '../../platform/database/database.ts'
import { DeletionSteps } from '../../platform/database/deletion-steps.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'

export function auditJobs(ctx: Context): Job[] {
  return [
    {
      name: 'audit.remove-old',
      schedule: everyDay('03:10'),
      run: (_, signal) => removeOldEntries(ctx, signal),
    },
  ]
}

/** Deletes audit entries older than the retention limit. */
export async function removeOldEntries(ctx: Context, signal: AbortSignal): Promise<void> {
  const { audit_log_prune_days: days } = await readCoreSettings(ctx.db)
  const before = pruneBefore(days, ctx.now())
  if (before === undefined) return
  const steps = new DeletionSteps(ctx, signal)
  await steps.take((tx, limit) => deleteEntriesBefore(tx, before, limit))
  ctx.log.info(steps.figures, 'old audit entries deleted')
}

async function deleteEntriesBefore(tx: Db, before: string, limit: number): Promise<number> {
  const old = tx
    .selectFrom('audit_log')
    .select('id')
    .where('entry_time', '<', before)
    .orderBy('entry_time')
    .limit(limit)
  const result = await tx.deleteFrom('audit_log').where('id', 'in', old).executeTakeFirst()
  return Number(result.numDeletedRows)
}
