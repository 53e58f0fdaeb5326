import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams, IdParams, Instant, ListQuery, Nothing } from '../fields.ts'

/** Something that a machine is to do later, or that it was to do. */
export const PendingAction = z.object({
  id: z.int(),
  action_type: z.enum(['schedreboot']),
  status: z.enum(['pending', 'completed']),
  due: Instant,
  description: z.string(),
  agent_id: AgentId,
  hostname: z.string(),
  client: z.string(),
  site: z.string(),
  username: z.string(),
  entry_time: Instant,
  /** `output`: how it ended, as a sentence; empty while it is pending. */
  details: z.object({ output: z.string() }),
})
export type PendingAction = z.infer<typeof PendingAction>

export const listPendingActions = endpoint({
  method: 'GET',
  path: '/logs/pendingactions/',
  access: 'can_list_pendingactions',
  summary: 'What machines are to do later, the next first, and then what they were to do, the newest first',
  query: ListQuery,
  response: z.array(PendingAction),
  paged: true,
})

export const listAgentPendingActions = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/pendingactions/',
  access: 'can_list_pendingactions',
  summary: 'The same of one machine',
  params: AgentParams,
  query: ListQuery,
  response: z.array(PendingAction),
  paged: true,
})

export const cancelPendingAction = endpoint({
  method: 'DELETE',
  path: '/logs/pendingactions/:id/',
  access: 'can_manage_pendingactions',
  summary: 'Call off what is pending',
  params: IdParams,
  response: Nothing,
})
