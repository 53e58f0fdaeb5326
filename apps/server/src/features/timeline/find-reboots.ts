import type { TimelineEntry } from '@muster/contract/api/timeline'
import type { Context } from '../../context.ts'
import { graphSeries } from '../../samples/graph-check.ts'
import { findMachineSeries } from '../../samples/queries.ts'

/** Starts of the system: where the time since its start went back. Exact as long as every sample is kept. */
export async function findReboots(
  ctx: Pick<Context, 'db' | 'now'>,
  machine: { id: number; agent_id: string },
  range: { from: number; to: number },
): Promise<TimelineEntry[]> {
  const series = await findMachineSeries(ctx.db, [machine.agent_id])
  const rows = series.filter(({ name }) => name === 'uptime')
  const graph = await graphSeries(ctx, { agent: machine.id, rows }, range)
  const points = graph.series[0]?.points ?? []
  return points.flatMap(([at, , least], index) => {
    const before = points[index - 1]
    if (before === undefined || least >= before[2]) return []
    const from = Math.max(before[0], Math.round(at - least))
    return [{ kind: 'reboot' as const, from, to: from, text: 'Started', severity: null, by: '', id: null }]
  })
}
