import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams, IdParams, Instant, ListQuery } from '../fields.ts'

/** A planned or past action of a machine. */
export const PendingAction = z.object({
  id: z.int(),
  action_type: z.enum(['schedreboot', 'schedshutdown', 'schedsignout', 'agentupdate']),
  /** `cancelling`: its machine, which is offline, has it until it connects. */
  status: z.enum(['pending', 'cancelling', 'completed']),
  due: Instant,
  description: z.string(),
  agent_id: AgentId,
  hostname: z.string(),
  client: z.string(),
  site: z.string(),
  username: z.string(),
  entry_time: Instant,
  details: z.object({
    /** The result, or how often the user has postponed it, as a sentence; otherwise empty. */
    output: z.string(),
    /** The machine has it: it warns the user, and needs no link. */
    on_machine: z.boolean(),
  }),
})
export type PendingAction = z.infer<typeof PendingAction>

export const listPendingActions = endpoint({
  method: 'GET',
  path: '/logs/pendingactions/',
  access: 'can_list_pendingactions',
  summary: 'List planned actions, next first, then past actions, newest first',
  query: ListQuery,
  response: z.array(PendingAction),
  paged: true,
})

export const listAgentPendingActions = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/pendingactions/',
  access: 'can_list_pendingactions',
  summary: 'List planned and past actions of one machine',
  params: AgentParams,
  query: ListQuery,
  response: z.array(PendingAction),
  paged: true,
})

export const cancelPendingAction = endpoint({
  method: 'DELETE',
  path: '/logs/pendingactions/:id/',
  access: 'can_manage_pendingactions',
  summary: 'Cancel a pending action',
  params: IdParams,
  /** The action if its machine is offline and is still to forget it, otherwise null. */
  response: PendingAction.nullable(),
})
