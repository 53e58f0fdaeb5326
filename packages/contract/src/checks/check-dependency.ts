import { z } from 'zod'
import { AgentId, Id } from '../fields.ts'

/** Another check, of this or of another machine: while that one fails, nobody is told of this one. Null = none. */
export const DependsOn = Id.nullable()

export const CheckStatus = z.enum(['passing', 'failing', 'pending'])
export type CheckStatus = z.infer<typeof CheckStatus>

/** The other check, for who may see it. */
export const CheckDependency = z.object({
  id: z.int(),
  agent_id: AgentId,
  hostname: z.string(),
  readable_desc: z.string(),
  status: CheckStatus,
})
