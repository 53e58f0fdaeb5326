import { pruneBefore } from '@muster/rules/schedules/retention'
import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay } from '../../platform/jobs/schedule.ts'
import type { Db } from '../../platform/database/database.ts'
import { DeletionSteps } from '../../platform/database/deletion-steps.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'

export function alertsJobs(ctx: Context): Job[] {
  return [
    {
      name: 'alerts.remove-old',
      schedule: everyDay('03:20'),
      run: (_, signal) => removeOldAlerts(ctx, signal),
    },
  ]
}

const ALERTS_AT_ONCE = 200
const PARTS = ['alert_log', 'alert_notices', 'escalation_notifications'] as const

/**
 * Deletes alerts that were resolved before the retention limit. Logs and notices are deleted first, in steps of their
 * own: one alert may have thousands.
 */
export async function removeOldAlerts(ctx: Context, signal: AbortSignal): Promise<void> {
  const { resolved_alerts_prune_days: days } = await readCoreSettings(ctx.db)
  const before = pruneBefore(days, ctx.now())
  if (before === undefined) return
  const steps = new DeletionSteps(ctx, signal)
  for (;;) {
    signal.throwIfAborted()
    const ids = await findOldAlerts(ctx.db, before)
    if (ids.length === 0) break
    for (const table of PARTS) await steps.take((tx, limit) => deletePartsOf(tx, table, { ids, limit }))
    await steps.take((tx, limit) => deleteResolved(tx, ids, limit))
  }
  ctx.log.info(steps.figures, 'old alerts deleted')
}

/** Excludes those with a notice to send or an action to finish. */
async function findOldAlerts(db: Db, before: string): Promise<number[]> {
  const rows = await db
    .selectFrom('alerts')
    .select('id')
    .where('state', '=', 'resolved')
    // Redundant, but the index covers it: an alert opens before it is resolved.
    .where('alert_time', '<', before)
    .where('resolved_on', '<', before)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('alert_notices')
            .select('alert_notices.id')
            .whereRef('alert_notices.alert_id', '=', 'alerts.id')
            .where('alert_notices.state', '=', 'waiting'),
        ),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('alert_actions')
            .select('alert_actions.id')
            .whereRef('alert_actions.alert_id', '=', 'alerts.id')
            .where('alert_actions.state', 'in', ['waiting', 'running']),
        ),
      ),
    )
    .limit(ALERTS_AT_ONCE)
    .execute()
  return rows.map(({ id }) => id)
}

async function deletePartsOf(
  tx: Db,
  table: (typeof PARTS)[number],
  { ids, limit }: { ids: number[]; limit: number },
): Promise<number> {
  const some = tx.selectFrom(table).select('id').where('alert_id', 'in', ids).limit(limit)
  const result = await tx.deleteFrom(table).where('id', 'in', some).executeTakeFirst()
  return Number(result.numDeletedRows)
}

async function deleteResolved(tx: Db, ids: number[], limit: number): Promise<number> {
  const some = tx
    .selectFrom('alerts')
    .select('id')
    .where('id', 'in', ids)
    // Reopened since it was found.
    .where('state', '=', 'resolved')
    .limit(limit)
  const result = await tx.deleteFrom('alerts').where('id', 'in', some).executeTakeFirst()
  return Number(result.numDeletedRows)
}
