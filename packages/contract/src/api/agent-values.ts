import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, Id, MonitoringType } from '../fields.ts'

/** Values of machines that their rows do not have. Rates are bytes per second. */
export const AgentValueName = z.enum([
  'swap',
  'load',
  'disk_read',
  'disk_write',
  'net_in',
  'net_out',
  'time_zone',
  'enrolled',
  'last_user',
  'mac',
  'antivirus',
  'firewall',
  'encryption',
  'guests',
  'policies',
  'open_alerts',
  'missing_patches',
])
export type AgentValueName = z.infer<typeof AgentValueName>

/** Absent: unknown, or the role may not list it. */
export const AgentValues = z.object({
  agent_id: AgentId,
  values: z.partialRecord(AgentValueName, z.union([z.string(), z.number()])),
})
export type AgentValues = z.infer<typeof AgentValues>

export const listAgentValues = endpoint({
  method: 'GET',
  path: '/agents/values/',
  access: 'can_list_agents',
  summary: 'List chosen values of machines that the list of machines does not have, such as their time zones',
  query: z.object({
    /** Separated by commas. */
    names: z
      .string()
      .max(500)
      .transform((text) => [...new Set(text.split(','))])
      .pipe(z.array(AgentValueName)),
    monitoring_type: MonitoringType.optional(),
    client: Id.optional(),
    site: Id.optional(),
  }),
  response: z.array(AgentValues),
})
