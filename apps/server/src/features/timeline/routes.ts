import { getTimeline } from '@muster/contract/api/timeline'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { readTimeline } from './read-timeline.ts'

export function timelineRoutes(api: Api, ctx: Context): void {
  route(api, getTimeline, async ({ params, query, caller }) => {
    const machine = await requireAgent(ctx.db, params.agent_id, caller)
    return readTimeline(ctx, caller, { machine, ...query })
  })
}
