import type { MaintenanceTarget } from '@muster/contract/api/maintenance'
import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { activeOccurrence, findWindowsOfOnly, readSchedule, updateWindow } from './queries.ts'

/** Columns that change when a user switches the maintenance mode, which overrides windows. */
export function switchedByHand(on: boolean, now: Date) {
  return on
    ? { maintenance_mode: 1 as const, maintenance_by: null, maintenance_off_at: null }
    : { maintenance_mode: 0 as const, maintenance_by: null, maintenance_off_at: now.toISOString() }
}

/** Ends a single window with exactly this target, because a user switched its maintenance off. */
export async function endWindowsOf(
  tx: Db,
  emit: (event: Event) => void,
  { target, now }: { target: MaintenanceTarget; now: Date },
): Promise<void> {
  for (const window of await findWindowsOfOnly(tx, target)) {
    const isSingle = readSchedule(window).recurs === 'once'
    if (!isSingle || activeOccurrence(window, now.getTime()) === undefined) continue
    await updateWindow(tx, window.id, { ended_at: now.toISOString() })
    emit({ type: 'maintenance.changed', ids: [window.id] })
  }
}
