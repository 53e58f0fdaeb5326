import type { Report } from '@muster/contract/agent/link'
import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'

export interface ReportedDrop {
  agentId: string
  report: Extract<Report, { kind: 'checks-dropped' }>
}

/** Maximum per machine. A machine adds one for each long outage of the server. */
const MAX_DROPS = 200

/** Stores a repeated report once. */
export async function storeDropped(
  tx: Db,
  emit: (event: Event) => void,
  drops: readonly ReportedDrop[],
): Promise<void> {
  if (drops.length === 0) return
  const known = await tx
    .selectFrom('agents')
    .select('agent_id')
    .where('agent_id', 'in', [...new Set(drops.map(({ agentId }) => agentId))])
    .execute()
  const rows = drops
    .filter(({ agentId }) => known.some(({ agent_id }) => agent_id === agentId))
    .map(({ agentId, report }) => ({
      agent_id: agentId,
      from_at: secondsOf(report.from),
      to_at: secondsOf(report.to),
      // The column is an integer, and a higher count is a mistake of the agent.
      count: Math.min(report.count, 2_147_483_647),
    }))
  if (rows.length === 0) return
  await tx
    .insertInto('dropped_results')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const agentIds = [...new Set(rows.map(({ agent_id }) => agent_id))]
  for (const agentId of agentIds) {
    const newest = tx
      .selectFrom('dropped_results')
      .select('id')
      .where('agent_id', '=', agentId)
      .orderBy('to_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MAX_DROPS)
    await tx
      .deleteFrom('dropped_results')
      .where('agent_id', '=', agentId)
      .where('id', 'not in', newest)
      .execute()
  }
  emit({ type: 'check.changed', ids: [], agent_ids: agentIds })
}

/** Dropped results of a machine in a time range, newest first and limited. */
export async function findDropped(
  db: Db,
  agentId: string,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<{ id: number; from: number; to: number; count: number }[]> {
  const rows = await db
    .selectFrom('dropped_results')
    .select(['id', 'from_at', 'to_at', 'count'])
    .where('agent_id', '=', agentId)
    .where('from_at', '<=', to)
    .where('to_at', '>=', from)
    .orderBy('to_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id, from_at, to_at, count }) => ({
    id,
    from: Number(from_at),
    to: Number(to_at),
    count,
  }))
}

const secondsOf = (instant: string) => Math.floor(Date.parse(instant) / 1000)
