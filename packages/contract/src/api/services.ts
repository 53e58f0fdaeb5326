import { z } from 'zod'
import {
  MachineService,
  MAX_LOG_LINES,
  ServiceAction,
  ServiceName,
  WantedStartType,
} from '../agent/services.ts'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams } from '../fields.ts'

const ServiceParams = z.object({ agent_id: AgentId, name: ServiceName })

export const listServices = endpoint({
  method: 'GET',
  path: '/services/:agent_id/',
  access: 'can_manage_winsvcs',
  summary: 'List the current services of a machine',
  params: AgentParams,
  response: z.array(MachineService),
})

export const getService = endpoint({
  method: 'GET',
  path: '/services/:agent_id/:name/',
  access: 'can_manage_winsvcs',
  summary: 'Get one service of a machine',
  params: ServiceParams,
  response: MachineService,
})

export const controlService = endpoint({
  method: 'POST',
  path: '/services/:agent_id/:name/',
  access: 'can_manage_winsvcs',
  summary: 'Start, stop or restart a service; returns its new state',
  params: ServiceParams,
  body: z.object({ sv_action: ServiceAction }),
  response: MachineService,
})

export const setStartType = endpoint({
  method: 'PUT',
  path: '/services/:agent_id/:name/',
  access: 'can_manage_winsvcs',
  summary: 'Change when a service starts; returns its new state',
  params: ServiceParams,
  body: z.object({ startType: WantedStartType }),
  response: MachineService,
})

export const getServiceLog = endpoint({
  method: 'GET',
  path: '/services/:agent_id/:name/log/',
  access: 'can_manage_winsvcs',
  summary: 'Get the newest log lines of a service, newest last',
  params: ServiceParams,
  query: z.object({ lines: z.coerce.number().int().min(1).max(MAX_LOG_LINES).default(200) }),
  response: z.object({ lines: z.array(z.string()) }),
})
