import { readMachineLog } from '@muster/contract/api/logs'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { requireAgent } from '../../agents/require-agent.ts'

export function logsRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, readMachineLog, async ({ params, query, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const { unit = null, since = null, until = null, ...rest } = query
    const order = { input: { unit, since, until, ...rest }, author: caller.username }
    return fleet.ask(agent, 'read-log', order)
  })
}
