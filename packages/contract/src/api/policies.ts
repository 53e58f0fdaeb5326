import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams, Id, IdParams, Instant, ListQuery, MonitoringType, Nothing } from '../fields.ts'
import { EffectivePolicy } from '../policies/effective-policy.ts'
import { OwnSettingValues, PolicyContent } from '../policies/policy-content.ts'
import {
  AssignmentList,
  TargetParams,
  AssignedPolicies,
  PolicyLevel,
  PolicyOverview,
  PolicyPlan,
} from '../policies/assigned-policies.ts'
import {
  CheckOfPolicy,
  CheckOnMachine,
  SentRuns,
  TaskOfPolicy,
  TaskOnMachine,
} from '../policies/policy-items.ts'
import { WinUpdateFields, WinUpdateView } from '../policies/win-update-policy.ts'

const Slot = MonitoringType.nullable().default(null)

/** Where a policy is assigned; `monitoring_type`: for servers or workstations only. */
export const PolicyTarget = z.discriminatedUnion('level', [
  z.object({ level: z.literal('default'), monitoring_type: Slot }),
  z.object({ level: z.literal('client'), id: Id, monitoring_type: Slot }),
  z.object({ level: z.literal('site'), id: Id, monitoring_type: Slot }),
  z.object({ level: z.literal('agent'), id: AgentId }),
  /** A query as in the search of the machines table. */
  z.object({ level: z.literal('search'), search: z.string().trim().max(500) }),
])
export type PolicyTarget = z.infer<typeof PolicyTarget>

/** All editable fields of a policy: planned, saved, and stored in its history. */
export const PolicyDocument = z.object({
  name: z.string().trim().min(1, 'A name is needed.').max(255),
  desc: z.string().trim().max(1000),
  active: z.boolean(),
  /** Its content overrides the machines' own. */
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
  /** Names of `targets` and exclusions that the caller may see. */
  names: z.object({ clients: z.array(Named), sites: z.array(Named), agents: z.array(Named) }),
  /** Increases with every save. */
  version: z.int(),
  /** Number of machines that it applies to and that the caller may see. */
  agents_count: z.int(),
  /** Its part about patches; empty without one. The id is that of the policy. */
  winupdatepolicy: z.array(WinUpdateView.extend({ id: z.int(), policy: z.int() })).max(1),
  default_server_policy: z.boolean(),
  default_workstation_policy: z.boolean(),
  created_by: z.string(),
  modified: z.string(),
  modified_by: z.string(),
  /** The caller may see all of its targets, and so may change it. */
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
  summary: 'List policies that apply to something that the caller may see',
  query: ListQuery,
  response: z.array(Policy),
  paged: true,
})

/** Parts of a policy; missing kinds of content stay unchanged. */
const PolicyParts = PolicyDocument.partial().extend({
  content: PolicyContent.partial().optional(),
  /** The same as `content.alert_template`, and overrides it. */
  alert_template: Id.nullable().optional(),
})
const Saving = {
  /** The token of the plan that was shown. */
  plan: z.string().max(200).optional(),
  /** The reason, for the history. */
  reason: z.string().trim().max(500).default(''),
}

export const createPolicy = endpoint({
  method: 'POST',
  path: '/automation/policies/',
  access: 'can_manage_automation_policies',
  summary: 'Add a policy; with `copyId`, copy the content of another one',
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
    'Change parts of a policy. With `modified` or the `plan` that was shown, refused if that is outdated',
  params: IdParams,
  body: PolicyParts.extend({ ...Saving, modified: z.string().optional() }),
  volatile: ['agents_count', 'names', 'version', 'modified_by'],
  response: Policy,
})

export const deletePolicy = endpoint({
  method: 'DELETE',
  path: '/automation/policies/:id/',
  access: 'can_manage_automation_policies',
  summary: 'Delete a policy and its content on all machines',
  params: IdParams,
  query: z.object({ plan: Saving.plan }),
  response: Nothing,
})

export const planPolicy = endpoint({
  method: 'POST',
  path: '/automation/plan/',
  access: 'can_manage_automation_policies',
  withLowDisk: true,
  summary:
    'Preview the changes of a save on each machine. Without `id` for a new policy, without `policy` for a deletion',
  body: z.object({ id: Id.optional(), policy: PolicyDocument.optional() }),
  response: PolicyPlan,
})

export const listPolicyVersions = endpoint({
  method: 'GET',
  path: '/automation/policies/:id/history/',
  access: 'can_list_automation_policies',
  summary: 'List the versions of a policy, newest first',
  params: IdParams,
  response: z.array(PolicyVersion),
})

export const revertPolicy = endpoint({
  method: 'POST',
  path: '/automation/policies/:id/revert/',
  access: 'can_manage_automation_policies',
  summary: 'Restore an earlier version of a policy as a new version',
  params: IdParams,
  body: z.object({ version: z.int().min(1), plan: Saving.plan }),
  response: Policy,
})

export const listPolicyRelations = endpoint({
  method: 'GET',
  path: '/automation/policies/:id/related/',
  access: 'can_list_automation_policies',
  summary: 'List the machines that a policy applies to and that the caller may see',
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
  summary: 'Get the effective policy of a machine, with sources and overridden items',
  params: AgentParams,
  response: EffectivePolicy,
})

export const blockInheritance = endpoint({
  method: 'POST',
  path: '/automation/inheritance/',
  access: 'can_manage_automation_policies',
  summary: 'Block or allow the inheritance of policies by a machine, a site or a client',
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
  summary: 'List the clients and sites that the caller may see, with their assigned policies',
  response: PolicyOverview,
})

export const listAssignedPolicies = endpoint({
  method: 'GET',
  path: '/automation/places/:level/:id/',
  access: 'can_list_automation_policies',
  summary: 'List the policies assigned to one machine, site, client or to all machines, in order',
  params: TargetParams,
  response: AssignedPolicies,
})

export const planAssignedPolicies = endpoint({
  method: 'POST',
  path: '/automation/places/:level/:id/plan/',
  access: 'can_manage_automation_policies',
  withLowDisk: true,
  summary: 'Preview the changes of another list of assigned policies on each machine',
  params: TargetParams,
  body: z.object({ policies: AssignmentList }),
  response: PolicyPlan,
})

export const setAssignedPolicies = endpoint({
  method: 'PUT',
  path: '/automation/places/:level/:id/',
  access: 'can_manage_automation_policies',
  summary:
    'Assign these policies in this order. With `modified` or the `plan` that was shown, refused if that is outdated',
  params: TargetParams,
  body: z.object({ policies: AssignmentList, plan: Saving.plan, modified: z.string().max(200).optional() }),
  response: AssignedPolicies,
})

/** A machine's own settings: null = from its policies, or the default. */
export const setOwnSettings = endpoint({
  method: 'PUT',
  path: '/automation/agents/:agent_id/settings/',
  access: 'can_edit_agent',
  summary: "Set a machine's own settings, or with null use those of its policies",
  params: AgentParams,
  body: OwnSettingValues,
  response: EffectivePolicy,
})

export const listPolicyChecks = endpoint({
  method: 'GET',
  path: '/automation/policies/:id/checks/',
  access: 'can_list_automation_policies',
  summary: 'List the checks of a policy with the number of passing and failing machines',
  params: IdParams,
  response: z.array(CheckOfPolicy),
})

export const listPolicyTasks = endpoint({
  method: 'GET',
  path: '/automation/policies/:id/tasks/',
  access: 'can_list_automation_policies',
  summary: 'List the tasks of a policy with the number of passing and failing machines',
  params: IdParams,
  response: z.array(TaskOfPolicy),
})

export const listPolicyCheckStatus = endpoint({
  method: 'GET',
  path: '/automation/checks/:id/status/',
  access: 'can_list_automation_policies',
  summary: 'List the last results of a policy check on each machine',
  params: IdParams,
  response: z.array(CheckOnMachine),
})

export const listPolicyTaskStatus = endpoint({
  method: 'GET',
  path: '/automation/tasks/:id/status/',
  access: 'can_list_automation_policies',
  summary: 'List the last results of a policy task on each machine',
  params: IdParams,
  response: z.array(TaskOnMachine),
})

export const runPolicyTask = endpoint({
  method: 'POST',
  path: '/automation/tasks/:id/run/',
  access: 'can_run_autotasks',
  summary: 'Run a policy task now on every connected machine that has it',
  params: IdParams,
  response: SentRuns,
})

/** The id is that of the policy. */
export const WinUpdatePolicy = WinUpdateFields.extend({ id: z.int(), policy: z.int() })
export type WinUpdatePolicy = z.infer<typeof WinUpdatePolicy>

export const createPatchPolicy = endpoint({
  method: 'POST',
  path: '/automation/patchpolicy/',
  access: 'can_manage_automation_policies',
  summary:
    'Give a policy rules for patches: what is approved by severity, when it is installed, and the restart',
  body: WinUpdateFields.extend({ policy: Id }),
  response: WinUpdatePolicy,
})

export const editPatchPolicy = endpoint({
  method: 'PUT',
  path: '/automation/patchpolicy/:id/',
  access: 'can_manage_automation_policies',
  summary: 'Replace the rules for patches of a policy; `id` is that of the policy',
  params: IdParams,
  body: WinUpdateFields,
  response: WinUpdatePolicy,
})

export const deletePatchPolicy = endpoint({
  method: 'DELETE',
  path: '/automation/patchpolicy/:id/',
  access: 'can_manage_automation_policies',
  summary: 'Remove the rules for patches from a policy; `id` is that of the policy',
  params: IdParams,
  response: Nothing,
})

export const resetPatchPolicies = endpoint({
  method: 'POST',
  path: '/automation/patchpolicy/reset/',
  access: 'can_manage_winupdates',
  summary:
    'Remove the own patch policies of machines, of a client, of a site or of all that the caller may see',
  body: z.object({ client: Id.optional(), site: Id.optional() }).prefault({}),
  response: z.object({ machines: z.int().min(0) }),
})
