import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentParams, Instant } from '../fields.ts'
import { PendingAction } from './pending-actions.ts'

/** `answered` is false if the link ended before the machine could reply, which is normal. */
const PowerResponse = z.object({ answered: z.boolean() })

export const rebootAgent = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/reboot/',
  access: 'can_reboot_agents',
  summary: 'Restart a machine now',
  params: AgentParams,
  response: PowerResponse,
})

export const shutdownAgent = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/shutdown/',
  access: 'can_reboot_agents',
  summary: 'Shut a machine down now',
  params: AgentParams,
  response: PowerResponse,
})

export const wakeAgent = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/wol/',
  access: 'can_send_wol',
  summary: 'Wake a machine with Wake-on-LAN packets from connected machines of its site',
  params: AgentParams,
  /** Names of the machines that sent it. */
  response: z.object({ sent_by: z.array(z.string()) }),
})

export const planReboot = endpoint({
  method: 'PATCH',
  path: '/agents/:agent_id/reboot/',
  access: 'can_reboot_agents',
  summary: 'Schedule a restart of a machine, which replaces an earlier one',
  params: AgentParams,
  body: z.object({
    /** With an offset an instant, without one a time of the machine's own clock. */
    datetime: z
      .string()
      .regex(
        /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/,
        'Use a date and time such as 2026-11-22T18:35.',
      ),
  }),
  response: PendingAction.extend({ time: Instant, agent: z.string() }),
})
