import {
  compareMachines,
  getMachineMetrics,
  type LatestMetrics,
  listLatestMetrics,
  scrapeMachines,
  watchMachineMetrics,
} from '@muster/contract/api/metrics'
import type { Context } from '../../context.ts'
import { type Api, JsonText, route, TextPieces } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { graphSeries } from '../../samples/graph-series.ts'
import { LatestValues } from '../../samples/latest-values.ts'
import { findMachineSeries } from '../../samples/queries.ts'
import { CONTENT_TYPE, readMachines, writeMachines } from './prometheus.ts'
import { readComparison } from './read-comparison.ts'
import { freshSince } from './search-metrics.ts'

export function metricsRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, getMachineMetrics, async ({ params, query, caller }) => {
    const { id: agent, agent_id } = await requireAgent(ctx.db, params.agent_id, caller)
    return graphSeries(ctx, { agent, rows: await findMachineSeries(ctx.db, [agent_id]) }, query)
  })
  const latest = new LatestValues(['cpu', 'memory', 'swap', 'load'])
  route(api, listLatestMetrics, async ({ query, caller }) => {
    const { cpu, memory } = await latest.read(ctx.db, await freshSince(ctx))
    const rows = await fleet.rows.list(caller, query)
    const machines = rows.flatMap(({ agent_id }): LatestMetrics[] => {
      const [load, used] = [cpu.get(agent_id)?.value, memory.get(agent_id)?.value]
      if (load === undefined && used === undefined) return []
      return [{ agent_id, cpu: roundPercent(load), memory: roundPercent(used) }]
    })
    // Parsing thousands of rows would take longer than reading them.
    return new JsonText(JSON.stringify(machines))
  })
  route(api, scrapeMachines, async ({ query, caller }) => {
    const values = await latest.read(ctx.db, await freshSince(ctx))
    const rows = await fleet.rows.list(caller, query)
    return new TextPieces(CONTENT_TYPE, writeMachines(await readMachines(ctx, caller, { rows, values })))
  })
  route(api, compareMachines, ({ query, caller }) => readComparison(ctx, caller, query))
  route(api, watchMachineMetrics, async ({ params, query, caller }) => {
    const { agent_id } = await requireAgent(ctx.db, params.agent_id, caller)
    const found = await fleet.watchMetrics(agent_id, query.after)
    return found ?? { connected: false, samples: [], next: query.after }
  })
}

const roundPercent = (value: number | undefined) => (value === undefined ? null : Math.round(value * 10) / 10)
