import { getTimeline, listDroppedResults } from '@muster/contract/api/timeline'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { findDropped } from '../checks/dropped-results.ts'
import { DAY } from '../../samples/keep.ts'
import { readTimeline } from './read-timeline.ts'

export function timelineRoutes(api: Api, ctx: Context): void {
  route(api, getTimeline, async ({ params, query, caller }) => {
    const machine = await requireAgent(ctx.db, params.agent_id, caller)
    return readTimeline(ctx, caller, { machine, ...query })
  })
  route(api, listDroppedResults, async ({ params, caller }) => {
    const { agent_id } = await requireAgent(ctx.db, params.agent_id, caller)
    const to = Math.ceil(ctx.now().getTime() / 1000)
    const found = await findDropped(ctx.db, agent_id, { from: to - 30 * DAY, to, limit: 100 })
    return found.map(({ count, ...range }) => ({
      from: new Date(range.from * 1000).toISOString(),
      to: new Date(range.to * 1000).toISOString(),
      count,
    }))
  })
}
