import { z } from 'zod'
import { AgentId, MonitoringType } from '../fields.ts'
import { ContentKind, PolicyLevel } from './assigned-policies.ts'

/** Not from a policy: the machine's own, or of the named site, client or all machines. */
const SourceOwn = z.object({ own: z.literal(true), place: z.enum(['site', 'client', 'default']).optional() })
const SourcePolicy = z.object({
  own: z.literal(false),
  policy: z.int(),
  policy_name: z.string(),
  level: PolicyLevel,
})
/** The source of a setting or item: the machine itself or a policy. */
export const PolicySource = z.discriminatedUnion('own', [SourceOwn, SourcePolicy])
export type PolicySource = z.infer<typeof PolicySource>

export const PolicyOutcome = z.enum([
  'applies',
  'came_before',
  'other_type',
  'inactive',
  'excluded_agent',
  'excluded_site',
  'excluded_client',
  'blocked_by_agent',
  'blocked_by_site',
  'blocked_by_client',
])
export type PolicyOutcome = z.infer<typeof PolicyOutcome>

/** An item that a machine has from its policies or of its own. */
export const EffectiveItem = z.object({
  kind: ContentKind,
  /** The same for items that override each other. */
  key: z.string(),
  what: z.string(),
  /** For checks: the id of the check on this machine, once it exists. */
  check_id: z.int().nullable(),
  /** The same for tasks. */
  task_id: z.int().nullable(),
  source: PolicySource,
  overrode: z.array(
    z.object({
      what: z.string(),
      check_id: z.int().nullable(),
      task_id: z.int().nullable(),
      source: PolicySource,
      lost: z.enum(['enforced', 'own', 'nearer', 'earlier', 'inactive', 'excluded']),
    }),
  ),
})
export type EffectiveItem = z.infer<typeof EffectiveItem>

export const EffectivePolicy = z.object({
  agent_id: AgentId,
  hostname: z.string(),
  client_name: z.string(),
  site_name: z.string(),
  monitoring_type: MonitoringType,
  /** Whether the machine, its site or its client blocks inheritance. */
  blocks: z.object({ agent: z.boolean(), site: z.boolean(), client: z.boolean() }),
  /** From the nearest to the furthest, including those that do not apply, with the reason. */
  chain: z.array(
    z.object({
      policy: z.int(),
      policy_name: z.string(),
      enforced: z.boolean(),
      level: PolicyLevel,
      /** For a search. */
      search: z.string().nullable(),
      monitoring_type: MonitoringType.nullable(),
      outcome: PolicyOutcome,
    }),
  ),
  items: z.array(EffectiveItem),
  /** Policy content that the machine does not get: it is for other systems, is disabled, or excludes the machine. */
  unfit: z.array(
    z.object({
      kind: ContentKind,
      what: z.string(),
      source: PolicySource,
      why: z.enum(['other_system', 'inactive', 'excluded']),
    }),
  ),
})
export type EffectivePolicy = z.infer<typeof EffectivePolicy>
