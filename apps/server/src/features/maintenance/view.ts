import type { MaintenanceWindow } from '@muster/contract/api/maintenance'
import { AppError } from '@muster/contract/errors'
import { nextOccurrence } from '@muster/rules/schedules/maintenance-schedule'
import type { Db } from '../../platform/database/database.ts'
import type { Scope } from '../../platform/http/caller.ts'
import {
  activeOccurrence,
  countCovered,
  findTargets,
  findWindow,
  findWindows,
  type NamedTarget,
  readSchedule,
  type WindowRow,
} from './queries.ts'

type Viewer = { scope: Scope }

/** Windows that are at least partly visible, with only their visible part. */
export async function listWindows(db: Db, caller: Viewer, now: Date): Promise<MaintenanceWindow[]> {
  return viewWindows(db, { caller, now, rows: await findWindows(db) })
}

/** Returns one window. Throws `not_found` if no part of it is visible. */
export async function requireWindow(
  db: Db,
  { id, caller, now }: { id: number; caller: Viewer; now: Date },
): Promise<MaintenanceWindow> {
  const row = await findWindow(db, id)
  const [window] = row === undefined ? [] : await viewWindows(db, { caller, now, rows: [row] })
  if (window === undefined) {
    throw new AppError('not_found', 'This maintenance window does not exist, or you may not see it.')
  }
  return window
}

/** Windows with their visible part. Invisible ones are left out. */
export async function viewWindows(
  db: Db,
  { caller, now, rows }: { caller: Viewer; now: Date; rows: WindowRow[] },
): Promise<MaintenanceWindow[]> {
  const counts = await countCovered(db, caller)
  const targetsOf = Map.groupBy(await findTargets(db, caller), ({ window_id }) => window_id)
  return rows
    .map((row) =>
      viewWindow(row, { targets: targetsOf.get(row.id) ?? [], count: counts.get(row.id) ?? 0, now }),
    )
    .filter(({ targets }) => targets.length > 0 || caller.scope.all)
}

function viewWindow(
  row: WindowRow,
  { targets, count, now }: { targets: NamedTarget[]; count: number; now: Date },
): MaintenanceWindow {
  const schedule = readSchedule(row)
  const active = activeOccurrence(row, now.getTime())
  const endMs = active?.endMs ?? undefined
  const nextMs = nextOccurrence(schedule, now.getTime())?.startMs
  return {
    id: row.id,
    reason: row.reason,
    targets: targets.map(({ type, id, name }) => ({ type, id, name })),
    schedule,
    agent_count: count,
    active: active !== undefined,
    active_until: endMs === undefined ? null : new Date(endMs).toISOString(),
    next_start: nextMs === undefined ? null : new Date(nextMs).toISOString(),
    created_by: row.created_by,
    modified: row.modified,
  }
}
