import { z } from 'zod'
import { POLICY_LEVELS } from '@muster/rules/policies/policy-chain'
import { AgentId, Id, MonitoringType } from '../fields.ts'

/** Kinds of policy content. */
export const ContentKind = z.enum([
  'checks',
  'tasks',
  'agent_settings',
  'alert_template',
  'patches',
  'software',
])

/** Where a policy is assigned. */
export const PolicyLevel = z.enum(POLICY_LEVELS)
export type PolicyLevel = z.infer<typeof PolicyLevel>

const PLAN_CHANGES = ['added', 'removed', 'changed', 'overridden', 'released'] as const
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

/** A machine, site, client or all machines, which policies are assigned to; for all machines `id` is "all". */
export const TargetParams = z.object({
  level: z.enum(['client', 'site', 'agent', 'default']),
  id: z.string().max(64),
})
/** In order of precedence. */
export const AssignmentList = z
  .array(z.object({ id: Id, monitoring_type: MonitoringType.nullable().default(null) }))
  .max(200, 'At most 200 policies per target.')

const AssignedPolicy = z.object({
  id: z.int(),
  name: z.string(),
  active: z.boolean(),
  enforced: z.boolean(),
  monitoring_type: MonitoringType.nullable(),
})

export const AssignedPolicies = z.object({
  /** Name of the machine, site or client; empty for all machines. */
  name: z.string(),
  policies: z.array(AssignedPolicy),
  /** Changes with the list. */
  modified: z.string(),
})
export type AssignedPolicies = z.infer<typeof AssignedPolicies>

const OverviewNode = z.object({
  id: z.int(),
  name: z.string(),
  server_policy: z.int().nullable(),
  workstation_policy: z.int().nullable(),
  /** Assigned here, in order. */
  policies: z.array(AssignedPolicy),
})

export const PolicyOverview = z.array(OverviewNode.extend({ sites: z.array(OverviewNode) }))
export type PolicyOverview = z.infer<typeof PolicyOverview>
