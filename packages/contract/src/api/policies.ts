import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams, Id, IdParams, Instant, ListQuery, MonitoringType, Nothing } from '../fields.ts'
import { EffectivePolicy } from '../policies/effective-policy.ts'
import { OwnSettingValues, PolicyContent } from '../policies/policy-content.ts'
import { PlaceList, PlaceParams, PlacePolicies, PolicyOverview } from '../policies/place-policies.ts'
import {
  CheckOfPolicy,
  CheckOnMachine,
  SentRuns,
  TaskOfPolicy,
  TaskOnMachine,
} from '../policies/policy-items.ts'
import { PolicyLevel } from '../policies/policy-level.ts'
import { PolicyPlan } from '../policies/policy-plan.ts'

const Slot = MonitoringType.nullable().default(null)

/** Where a policy is assigned; `monitoring_type`: to servers or workstations only. */
export const PolicyTarget = z.discriminatedUnion('level', [
  z.object({ level: z.literal('default'), monitoring_type: Slot }),
  z.object({ level: z.literal('client'), id: Id, monitoring_type: Slot }),
  z.object({ level: z.literal('site'), id: Id, monitoring_type: Slot }),
  z.object({ level: z.literal('agent'), id: AgentId }),
  /** Words as in the search of the machines table. */
  z.object({ level: z.literal('search'), search: z.string().trim().max(500) }),
])
export type PolicyTarget = z.infer<typeof PolicyTarget>

/** Everything that a person writes of a policy: what is planned, saved, and kept as history. */
export const PolicyDocument = z.object({
  name: z.string().trim().min(1, 'A name is needed.').max(255),
  desc: z.string().trim().max(1000),
  active: z.boolean(),
  /** Its content stands before what machines have of their own. */
  enforced: z.boolean(),
  content: PolicyContent,
  targets: z.array(PolicyTarget).max(2000),
  excluded_clients: z.array(Id).max(2000),
  excluded_sites: z.array(Id).max(2000),
  excluded_agents: z.array(AgentId).max(5000),
})
export type PolicyDocument = z.infer<typeof PolicyDocument>

const Named = z.object({ id: z.union([z.int(), AgentId]), name: z.string() })

export const Policy = PolicyDocument.extend({
  id: z.int(),
  /** Names of what `targets` and the exclusions name, as far as the caller sees it. */
  names: z.object({ clients: z.array(Named), sites: z.array(Named), agents: z.array(Named) }),
  /** Grows with every save. */
  version: z.int(),
  /** Machines that it reaches now, of those that the caller sees. */
  agents_count: z.int(),
  default_server_policy: z.boolean(),
  default_workstation_policy: z.boolean(),
  created_by: z.string(),
  modified: z.string(),
  modified_by: z.string(),
  /** The caller sees everything that it touches, and so may change it. */
  is_whole: z.boolean(),
})
export type Policy = z.infer<typeof Policy>

export const PolicyVersion = z.object({
  version: z.int(),
  at: Instant,
  by: z.string(),
  reason: z.string(),
  policy: PolicyDocument,
})
export type PolicyVersion = z.infer<typeof PolicyVersion>

export const listPolicies = endpoint({
  method: 'GET',
  path: '/automation/policies/',
  access: 'can_list_automation_policies',
  summary: 'Policies that reach something that the caller may see',
  query: ListQuery,
  response: z.array(Policy),
  paged: true,
})

/** Parts of a policy; kinds of content that are left out stay as they are. */
const PolicyParts = PolicyDocument.partial().extend({
  content: PolicyContent.partial().optional(),
  /** The same as `content.alert_template`, and counts before it. */
  alert_template: Id.nullable().optional(),
})
const Saving = {
  /** Of the plan that was shown. */
  plan: z.string().max(200).optional(),
  /** Why, for the history. */
  reason: z.string().trim().max(500).default(''),
}

export const createPolicy = endpoint({
  method: 'POST',
  path: '/automation/policies/',
  access: 'can_manage_automation_policies',
  summary: 'Add a policy; with `copyId` with the content of another one',
  body: PolicyParts.extend({ name: PolicyDocument.shape.name, ...Saving, copyId: Id.optional() }),
  response: Policy,
})

export const getPolicy = endpoint({
  method: 'GET',
  path: '/automation/policies/:id/',
  access: 'can_list_automation_policies',
  summary: 'One policy',
  params: IdParams,
  response: Policy,
})

export const editPolicy = endpoint({
  method: 'PUT',
  path: '/automation/policies/:id/',
  access: 'can_manage_automation_policies',
  summary:
    'Change parts of a policy. With `modified` or the `plan` that was shown, refused when that no longer holds',
  params: IdParams,
  body: PolicyParts.extend({ ...Saving, modified: z.string().optional() }),
  volatile: ['agents_count', 'names', 'version', 'modified_by'],
  response: Policy,
})

export const deletePolicy = endpoint({
  method: 'DELETE',
  path: '/automation/policies/:id/',
  access: 'can_manage_automation_policies',
  summary: 'Delete a policy; machines lose what they have by it',
  params: IdParams,
  query: z.object({ plan: Saving.plan }),
  response: Nothing,
})

export const planPolicy = endpoint({
  method: 'POST',
  path: '/automation/plan/',
  access: 'can_manage_automation_policies',
  summary:
    'What a save would change on which machines. Without `id` of a new policy, without `policy` of a deletion',
  body: z.object({ id: Id.optional(), policy: PolicyDocument.optional() }),
  response: PolicyPlan,
})

export const listPolicyVersions = endpoint({
  method: 'GET',
  path: '/automation/policies/:id/history/',
  access: 'can_list_automation_policies',
  summary: 'What a policy was after each save, newest first',
  params: IdParams,
  response: z.array(PolicyVersion),
})

export const revertPolicy = endpoint({
  method: 'POST',
  path: '/automation/policies/:id/revert/',
  access: 'can_manage_automation_policies',
  summary: 'Make a policy again what it was in an earlier version, as a new version',
  params: IdParams,
  body: z.object({ version: z.int().min(1), plan: Saving.plan }),
  response: Policy,
})

export const listPolicyRelations = endpoint({
  method: 'GET',
  path: '/automation/policies/:id/related/',
  access: 'can_list_automation_policies',
  summary: 'The machines that a policy reaches, of those that the caller sees',
  params: IdParams,
  response: z.object({
    agents: z.array(
      z.object({
        agent_id: AgentId,
        hostname: z.string(),
        client_name: z.string(),
        site_name: z.string(),
        level: PolicyLevel,
      }),
    ),
  }),
})

export const getEffectivePolicy = endpoint({
  method: 'GET',
  path: '/automation/agents/:agent_id/',
  access: 'can_list_automation_policies',
  summary: 'What a machine has by policies and of its own, from where, and what stood behind',
  params: AgentParams,
  response: EffectivePolicy,
})

export const blockInheritance = endpoint({
  method: 'POST',
  path: '/automation/inheritance/',
  access: 'can_manage_automation_policies',
  summary: 'Block or allow the inheritance of policies from above a machine, a site or a client',
  body: z.object({
    target: z.discriminatedUnion('level', [
      z.object({ level: z.literal('client'), id: Id }),
      z.object({ level: z.literal('site'), id: Id }),
      z.object({ level: z.literal('agent'), id: AgentId }),
    ]),
    block_policy_inheritance: z.boolean(),
  }),
  response: Nothing,
})

export const getPolicyOverview = endpoint({
  method: 'GET',
  path: '/automation/policies/overview/',
  access: 'can_list_automation_policies',
  summary: 'The clients and sites that the caller may see, with the policies that are assigned to each',
  response: PolicyOverview,
})

export const listPlacePolicies = endpoint({
  method: 'GET',
  path: '/automation/places/:level/:id/',
  access: 'can_list_automation_policies',
  summary: 'The policies that are assigned to one place itself, in their order',
  params: PlaceParams,
  response: PlacePolicies,
})

export const planPlacePolicies = endpoint({
  method: 'POST',
  path: '/automation/places/:level/:id/plan/',
  access: 'can_manage_automation_policies',
  summary: 'What another list of policies at one place would change on which machines',
  params: PlaceParams,
  body: z.object({ policies: PlaceList }),
  response: PolicyPlan,
})

export const setPlacePolicies = endpoint({
  method: 'PUT',
  path: '/automation/places/:level/:id/',
  access: 'can_manage_automation_policies',
  summary:
    'Assign these policies to one place, in this order. With `modified` or the `plan` that was shown, refused when that no longer holds',
  params: PlaceParams,
  body: z.object({ policies: PlaceList, plan: Saving.plan, modified: z.string().max(200).optional() }),
  response: PlacePolicies,
})

/** What a machine has of its own: null = as its policies say, or as ever. */
export const setOwnSettings = endpoint({
  method: 'PUT',
  path: '/automation/agents/:agent_id/settings/',
  access: 'can_edit_agent',
  summary: 'Give a machine settings of its own, or with null those of its policies',
  params: AgentParams,
  body: OwnSettingValues,
  response: EffectivePolicy,
})

export const listPolicyChecks = endpoint({
  method: 'GET',
  path: '/automation/policies/:id/checks/',
  access: 'can_list_automation_policies',
  summary: 'The checks of a policy, with how many machines pass and fail each',
  params: IdParams,
  response: z.array(CheckOfPolicy),
})

export const listPolicyTasks = endpoint({
  method: 'GET',
  path: '/automation/policies/:id/tasks/',
  access: 'can_list_automation_policies',
  summary: 'The tasks of a policy, with how many machines pass and fail each',
  params: IdParams,
  response: z.array(TaskOfPolicy),
})

export const listPolicyCheckStatus = endpoint({
  method: 'GET',
  path: '/automation/checks/:id/status/',
  access: 'can_list_automation_policies',
  summary: 'What a check of a policy found last on each machine that has it',
  params: IdParams,
  response: z.array(CheckOnMachine),
})

export const listPolicyTaskStatus = endpoint({
  method: 'GET',
  path: '/automation/tasks/:id/status/',
  access: 'can_list_automation_policies',
  summary: 'How a task of a policy went last on each machine that has it',
  params: IdParams,
  response: z.array(TaskOnMachine),
})

export const runPolicyTask = endpoint({
  method: 'POST',
  path: '/automation/tasks/:id/run/',
  access: 'can_run_autotasks',
  summary: 'Run a task of a policy now on every machine that has it and is connected',
  params: IdParams,
  response: SentRuns,
})
