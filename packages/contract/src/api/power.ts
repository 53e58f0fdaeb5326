import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentParams } from '../fields.ts'

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
