import type { WarnedAction } from '@muster/contract/agent/power'
import {
  lockScreen,
  planReboot,
  rebootAgent,
  shutdownAgent,
  signOutUser,
  wakeAgent,
} from '@muster/contract/api/power'
import type { Parsed } from '@muster/contract/endpoint'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { planPower } from './plan-power.ts'
import { changePower, planMachineReboot, wakeMachine } from './power-actions.ts'

export function powerRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  const change = async (
    action: WarnedAction,
    { params, body, caller }: Parsed<typeof rebootAgent> & { caller: Caller },
  ) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const { now, ...warning } = body
    if (!now) return planPower(ctx, { fleet, caller, agent, action, warning })
    return { ...(await changePower(ctx, { fleet, caller, agent }, action)), planned: null }
  }
  route(api, rebootAgent, (input) => change('reboot', input))
  route(api, shutdownAgent, (input) => change('shutdown', input))
  route(api, signOutUser, (input) => change('sign_out', input))
  route(api, lockScreen, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return changePower(ctx, { fleet, caller, agent }, 'lock')
  })
  route(api, planReboot, async ({ params, body, caller }) => {
    const order = { agentId: params.agent_id, ...body }
    const planned = await planMachineReboot(ctx, { fleet, caller }, order)
    return { ...planned, time: planned.due, agent: planned.hostname }
  })
  route(api, wakeAgent, ({ params, caller }) => wakeMachine(ctx, { fleet, caller, agentId: params.agent_id }))
}
