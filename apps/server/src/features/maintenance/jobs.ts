import { nextOccurrence, occurrenceAt } from '@muster/rules/schedules/maintenance-schedule'
import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay } from '../../platform/jobs/schedule.ts'
import { readKeep } from '../../samples/partitions.ts'
import { deleteWindows, findWindows, readSchedule } from './queries.ts'
import { deletePeriods } from './record-periods.ts'

const KEEP_MS = 30 * 86_400_000

export function maintenanceJobs(ctx: Context): Job[] {
  return [
    { name: 'maintenance.forget-over', schedule: everyDay('03:50'), run: () => deleteEndedWindows(ctx) },
  ]
}

/** Deletes windows that ended a month ago. The audit log keeps them. */
export async function deleteEndedWindows(ctx: Context): Promise<void> {
  const sinceMs = ctx.now().getTime() - KEEP_MS
  await ctx.transaction(async (tx, emit) => {
    const keep = await readKeep(tx)
    await deletePeriods(tx, Math.floor(ctx.now().getTime() / 1000) - keep[3600])
    const over = (await findWindows(tx)).filter((window) => {
      const schedule = readSchedule(window)
      if (nextOccurrence(schedule, sinceMs) !== undefined) return false
      if (window.ended_at !== null && Date.parse(window.ended_at) < sinceMs) return true
      return occurrenceAt(schedule, sinceMs) === undefined
    })
    if (over.length === 0) return
    const ids = over.map(({ id }) => id)
    await deleteWindows(tx, ids)
    emit({ type: 'maintenance.changed', ids })
  })
}
