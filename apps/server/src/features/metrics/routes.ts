import { getMachineMetrics } from '@muster/contract/api/metrics'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { graphSeries } from '../checks/samples/graph-check.ts'
import { findMachineSeries } from '../checks/samples/queries.ts'

export function metricsRoutes(api: Api, ctx: Context): void {
  route(api, getMachineMetrics, async ({ params, query, caller }) => {
    const { id: agent, agent_id } = await requireAgent(ctx.db, params.agent_id, caller)
    return graphSeries(ctx, { agent, rows: await findMachineSeries(ctx.db, [agent_id]) }, query)
  })
}
