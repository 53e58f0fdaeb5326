import { compareMachines, getMachineMetrics, watchMachineMetrics } from '@muster/contract/api/metrics'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { graphSeries } from '../../samples/graph-series.ts'
import { findMachineSeries } from '../../samples/queries.ts'
import { readComparison } from './read-comparison.ts'

export function metricsRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, getMachineMetrics, async ({ params, query, caller }) => {
    const { id: agent, agent_id } = await requireAgent(ctx.db, params.agent_id, caller)
    return graphSeries(ctx, { agent, rows: await findMachineSeries(ctx.db, [agent_id]) }, query)
  })
  route(api, compareMachines, ({ query, caller }) => readComparison(ctx, caller, query))
  route(api, watchMachineMetrics, async ({ params, query, caller }) => {
    const { agent_id } = await requireAgent(ctx.db, params.agent_id, caller)
    const found = await fleet.watchMetrics(agent_id, query.after)
    return found ?? { connected: false, samples: [], next: query.after }
  })
}
