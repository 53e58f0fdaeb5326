import { z } from 'zod'
import { AgentId, Id } from '../fields.ts'

/** Another check, of this or another machine: while that one fails, this one sends no notifications. Null = none. */
export const DependsOn = Id.nullable()

export const CheckStatus = z.enum(['passing', 'failing', 'pending'])
export type CheckStatus = z.infer<typeof CheckStatus>

/** The other check, if the caller may see it. */
export const CheckDependency = z.object({
  id: z.int(),
  agent_id: AgentId,
  hostname: z.string(),
  readable_desc: z.string(),
  status: CheckStatus,
})
