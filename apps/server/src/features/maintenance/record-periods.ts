import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'

/** Call after every change of the maintenance mode of machines, for their graphs. */
export async function recordPeriods(tx: Db, agentIds: readonly string[], now: Date): Promise<void> {
  const seconds = sql.lit(Math.floor(now.getTime() / 1000))
  for (const slice of chunk([...agentIds])) {
    const inMode = (mode: 0 | 1) =>
      tx
        .selectFrom('agents')
        .where('agents.agent_id', 'in', slice)
        .where('agents.maintenance_mode', '=', mode)
    await tx
      .updateTable('maintenance_periods')
      .set({ ended_at: sql<number>`${seconds}` })
      .where('ended_at', 'is', null)
      .where('agent_id', 'in', inMode(0).select('agents.agent_id'))
      .execute()
    await tx
      .insertInto('maintenance_periods')
      .columns(['agent_id', 'started_at', 'reason'])
      .expression(
        inMode(1)
          .leftJoin('maintenance_windows', 'maintenance_windows.id', 'agents.maintenance_by')
          .select((eb) => [
            'agents.agent_id',
            sql<number>`${seconds}`.as('started_at'),
            eb.fn.coalesce('maintenance_windows.reason', sql<string>`''`).as('reason'),
          ]),
      )
      // An open period continues.
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

export interface MaintenancePeriod {
  from: number
  to: number | null
  reason: string
}

/** Maintenance of a machine in a time range, the newest 200 periods. */
export async function findPeriods(
  db: Db,
  agentId: string,
  { from, to }: { from: number; to: number },
): Promise<MaintenancePeriod[]> {
  const rows = await db
    .selectFrom('maintenance_periods')
    .select(['started_at', 'ended_at', 'reason'])
    .where('agent_id', '=', agentId)
    .where('started_at', '<=', to)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>=', from)]))
    .orderBy('started_at', 'desc')
    .limit(MAX_COUNT)
    .execute()
  return rows.map(({ started_at, ended_at, reason }) => ({
    from: Number(started_at),
    to: ended_at === null ? null : Number(ended_at),
    reason,
  }))
}

/** Deletes periods that ended before the oldest samples. */
export async function deletePeriods(tx: Db, beforeSeconds: number): Promise<void> {
  await tx.deleteFrom('maintenance_periods').where('ended_at', '<', beforeSeconds).execute()
  await tx.deleteFrom('dropped_results').where('to_at', '<', beforeSeconds).execute()
}

const MAX_COUNT = 201
