import { listSearchFields, searchAgents } from '@muster/contract/api/agent-search'
import type { Context } from '../../../context.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { findCustomSearchFields, findMatchingAgents } from './find-matching-agents.ts'

export function agentSearchRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, searchAgents, async ({ body, caller }) => {
    const { ids, terms } = await findMatchingAgents(ctx, fleet, caller, body)
    return { ids, terms }
  })

  route(api, listSearchFields, () => findCustomSearchFields(ctx.db))
}
