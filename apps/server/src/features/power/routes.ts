import { rebootAgent, shutdownAgent, wakeAgent } from '@muster/contract/api/power'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Fleet } from '../agents/fleet.ts'
import { changePower } from './change-power.ts'
import { wakeMachine } from './wake-machine.ts'

export function powerRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, rebootAgent, ({ params, caller }) =>
    changePower(ctx, { fleet, caller, agentId: params.agent_id }, 'reboot'),
  )
  route(api, shutdownAgent, ({ params, caller }) =>
    changePower(ctx, { fleet, caller, agentId: params.agent_id }, 'shutdown'),
  )
  route(api, wakeAgent, ({ params, caller }) => wakeMachine(ctx, { fleet, caller, agentId: params.agent_id }))
}
