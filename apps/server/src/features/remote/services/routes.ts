import type { MachineService, ServiceAction, WantedStartType } from '@muster/contract/agent/services'
import {
  controlService,
  getService,
  getServiceLog,
  listServices,
  setStartType,
} from '@muster/contract/api/services'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { type AgentRequest, requestAgent } from '../../agents/request-agent.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { requireAgent } from '../../agents/require-agent.ts'

const DONE: Record<ServiceAction, string> = { start: 'Started', stop: 'Stopped', restart: 'Restarted' }
export const START_WORDS: Record<WantedStartType, string> = {
  auto: 'automatic',
  autodelay: 'automatic, delayed',
  manual: 'manual',
  disabled: 'disabled',
}

export function servicesRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, listServices, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const order = { input: { name: null }, author: caller.username }
    return (await fleet.ask(agent, 'list-services', order)).services
  })
  route(api, getService, async ({ params: { agent_id, name }, caller }) => {
    const agent = await requireAgent(ctx.db, agent_id, caller)
    const order = { input: { name }, author: caller.username }
    const service = (await fleet.ask(agent, 'list-services', order)).services[0]
    if (service === undefined)
      throw new AppError('not_found', `${agent.hostname} has no service "${name}". Refresh the list.`)
    return service
  })
  route(api, controlService, ({ params: { agent_id: agentId, name }, body, caller }) =>
    changeService(ctx, { fleet, caller, agentId }, { name, action: body.sv_action }),
  )
  route(api, setStartType, ({ params: { agent_id: agentId, name }, body, caller }) =>
    changeStartType(ctx, { fleet, caller, agentId }, { name, start_type: body.startType }),
  )
  route(api, getServiceLog, async ({ params: { agent_id, name }, query, caller }) => {
    const agent = await requireAgent(ctx.db, agent_id, caller)
    const order = { input: { name, lines: query.lines }, author: caller.username }
    return fleet.ask(agent, 'read-service-log', order)
  })
}

/** Starts, stops or restarts a service. Returns its new state. */
export function changeService(
  ctx: Context,
  request: AgentRequest,
  input: { name: string; action: ServiceAction },
): Promise<MachineService> {
  return requestAgent(ctx, request, {
    name: 'control-service',
    input,
    action: 'modify',
    object_type: 'service',
    // The machine answers with its own name for the service: an alias or a part of it was enough to find it.
    describe: (service) => `${DONE[input.action]} the service "${service?.name ?? input.name}"`,
  })
}

/** Returns the new state of the service. */
export function changeStartType(
  ctx: Context,
  request: AgentRequest,
  input: { name: string; start_type: WantedStartType },
): Promise<MachineService> {
  return requestAgent(ctx, request, {
    name: 'set-start-type',
    input,
    action: 'modify',
    object_type: 'service',
    describe: (service) =>
      `Changed the start type of the service "${service?.name ?? input.name}" to ${START_WORDS[input.start_type]}`,
  })
}
