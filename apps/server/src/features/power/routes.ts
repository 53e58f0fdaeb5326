import type { PowerAction } from '@muster/contract/agent/facts'
import { planReboot, rebootAgent, shutdownAgent, wakeAgent } from '@muster/contract/api/power'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { changePower, planMachineReboot, wakeMachine } from './power-actions.ts'

export function powerRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  const change = async (agentId: string, caller: Caller, action: PowerAction) => {
    const agent = await requireAgent(ctx.db, agentId, caller)
    return changePower(ctx, { fleet, caller, agent }, action)
  }
  route(api, rebootAgent, ({ params, caller }) => change(params.agent_id, caller, 'reboot'))
  route(api, shutdownAgent, ({ params, caller }) => change(params.agent_id, caller, 'shutdown'))
  route(api, planReboot, async ({ params, body, caller }) => {
    const order = { agentId: params.agent_id, datetime: body.datetime }
    const planned = await planMachineReboot(ctx, caller, order)
    return { ...planned, time: planned.due, agent: planned.hostname }
  })
  route(api, wakeAgent, ({ params, caller }) => wakeMachine(ctx, { fleet, caller, agentId: params.agent_id }))
}
