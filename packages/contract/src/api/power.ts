import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentParams, Instant } from '../fields.ts'
import { PendingAction } from './pending-actions.ts'

/** `answered` is false where the link went before the machine could say that it takes it on, as happens. */
const PowerAnswer = z.object({ answered: z.boolean() })

export const rebootAgent = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/reboot/',
  access: 'can_reboot_agents',
  summary: 'Restart a machine now',
  params: AgentParams,
  response: PowerAnswer,
})

export const shutdownAgent = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/shutdown/',
  access: 'can_reboot_agents',
  summary: 'Shut a machine down now',
  params: AgentParams,
  response: PowerAnswer,
})

export const wakeAgent = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/wol/',
  access: 'can_send_wol',
  summary: 'Wake a machine on LAN, by a packet that connected machines of its site send',
  params: AgentParams,
  /** The names of the machines that sent it. */
  response: z.object({ sent_by: z.array(z.string()) }),
})

export const planReboot = endpoint({
  method: 'PATCH',
  path: '/agents/:agent_id/reboot/',
  access: 'can_reboot_agents',
  summary: 'Restart a machine later; what was planned before for it is replaced',
  params: AgentParams,
  body: z.object({
    /** With an offset an instant, without one a time of the machine's own clock. */
    datetime: z
      .string()
      .regex(
        /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/,
        'A date and a time are needed, as 2026-11-22T18:35.',
      ),
  }),
  response: PendingAction.extend({ time: Instant, agent: z.string() }),
})
