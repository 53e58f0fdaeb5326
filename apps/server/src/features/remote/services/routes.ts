import type { ServiceAction, WantedStartType } from '@muster/contract/agent/services'
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
import { requestAgent } from '../../agents/request-agent.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { requireAgent } from '../../agents/require-agent.ts'

const DONE: Record<ServiceAction, string> = { start: 'Started', stop: 'Stopped', restart: 'Restarted' }
const START_WORDS: Record<WantedStartType, string> = {
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
    requestAgent(
      ctx,
      { fleet, caller, agentId },
      {
        name: 'control-service',
        input: { name, action: body.sv_action },
        action: 'modify',
        object_type: 'service',
        describe: () => `${DONE[body.sv_action]} the service "${name}"`,
      },
    ),
  )
  route(api, setStartType, ({ params: { agent_id: agentId, name }, body, caller }) =>
    requestAgent(
      ctx,
      { fleet, caller, agentId },
      {
        name: 'set-start-type',
        input: { name, start_type: body.startType },
        action: 'modify',
        object_type: 'service',
        describe: () => `Changed the start type of the service "${name}" to ${START_WORDS[body.startType]}`,
      },
    ),
  )
  route(api, getServiceLog, async ({ params: { agent_id, name }, query, caller }) => {
    const agent = await requireAgent(ctx.db, agent_id, caller)
    const order = { input: { name, lines: query.lines }, author: caller.username }
    return fleet.ask(agent, 'read-service-log', order)
  })
}
