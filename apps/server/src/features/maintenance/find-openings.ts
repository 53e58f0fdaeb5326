import { findOpening } from '@muster/rules/schedules/maintenance-opening'
import type { Occurrence } from '@muster/rules/schedules/maintenance-schedule'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import { coveredAgents, findWindows, timesOf } from './queries.ts'

/**
 * When the maintenance windows of machines are open: the current opening, or else the next one; null = none opens
 * again. Machines that no window covers are missing.
 */
export async function findOpenings(
  db: Db,
  agentIds: readonly string[],
  now: Date,
): Promise<Map<string, Occurrence | null>> {
  const windows = new Map((await findWindows(db)).map((row) => [row.id, timesOf(row)]))
  const openings = new Map<string, Occurrence | null>()
  if (windows.size === 0) return openings
  // Most machines share their windows with others.
  const known = new Map<string, Occurrence | null>()
  for (const ids of chunk(agentIds)) {
    const rows = await db
      .selectFrom(coveredAgents(db).as('covered'))
      .select(['covered.agent_id', 'covered.window_id'])
      .where('covered.agent_id', 'in', ids)
      .orderBy('covered.window_id')
      .execute()
    for (const [agentId, covering] of Map.groupBy(rows, (row) => row.agent_id)) {
      const key = covering.map((row) => row.window_id).join()
      let opening = known.get(key)
      if (opening === undefined) {
        const times = covering.flatMap((row) => windows.get(row.window_id) ?? [])
        opening = findOpening(times, now.getTime()) ?? null
        known.set(key, opening)
      }
      openings.set(agentId, opening)
    }
  }
  return openings
}
