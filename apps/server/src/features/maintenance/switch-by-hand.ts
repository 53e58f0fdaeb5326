import type { MaintenanceTarget } from '@muster/contract/api/maintenance'
import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { activeOccurrence, readSchedule } from './occurrences.ts'
import { findWindowsOfOnly, updateWindow } from './queries.ts'

/** What changes of a machine's row when a person switches its maintenance mode: that wins over windows. */
export function switchedByHand(on: boolean, now: Date) {
  return on
    ? { maintenance_mode: 1 as const, maintenance_by: null, maintenance_off_at: null }
    : { maintenance_mode: 0 as const, maintenance_by: null, maintenance_off_at: now.toISOString() }
}

/** A person has switched maintenance mode off for this: a single window for exactly the same is over with it. */
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
