import { z } from 'zod'
import { AgentId } from '../fields.ts'
import { ContentKind } from './effective-policy.ts'

export const PLAN_CHANGES = ['added', 'removed', 'changed', 'overridden', 'released'] as const
/** What a save would do to which machines. */
export const PolicyPlan = z.object({
  /** Goes with the save, which is refused when the same save would do something else by then. */
  token: z.string(),
  agents_count: z.int(),
  lines: z.array(
    z.object({
      kind: ContentKind,
      change: z.enum(PLAN_CHANGES),
      what: z.string(),
      agents_count: z.int(),
    }),
  ),
  /** The first of them, of those that the caller sees. */
  agents: z.array(
    z.object({
      agent_id: AgentId,
      hostname: z.string(),
      client_name: z.string(),
      site_name: z.string(),
      changes: z.array(z.object({ kind: ContentKind, change: z.enum(PLAN_CHANGES), what: z.string() })),
    }),
  ),
})
export type PolicyPlan = z.infer<typeof PolicyPlan>
