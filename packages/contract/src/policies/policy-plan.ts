import { z } from 'zod'
import { AgentId } from '../fields.ts'
import { ContentKind } from './effective-policy.ts'

export const PLAN_CHANGES = ['added', 'removed', 'changed', 'overridden', 'released'] as const
/** The changes of a save on each machine. */
export const PolicyPlan = z.object({
  /** Sent with the save, which is refused if it would have other effects by then. */
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
  /** The first machines that the caller may see. */
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
