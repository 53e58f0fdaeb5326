import { z } from 'zod'
import { CheckState } from '../api/checks.ts'
import { TaskFields, TaskResult } from '../api/tasks.ts'
import { AgentId, Platform, PolicyItem } from '../fields.ts'
import { PolicyCheck } from './policy-content.ts'

/** The checks and tasks of a policy, with their state on the machines that have them. */

// Greater than any id within a policy.
const STEP = 10_000_000

/** Ids of policy items are unique within a policy. This number is unique over all policies. */
export const policyItemId = (policy: number, number: number): number => policy * STEP + number

export interface PolicyItemRef {
  policy: number
  /** Within the policy. */
  number: number
}

export const readPolicyItemId = (id: number): PolicyItemRef => ({
  policy: Math.floor(id / STEP),
  number: id % STEP,
})

const count = z.int().min(0)
/** Number of machines that the caller may see. */
export const CheckCountsOfPolicy = z.object({
  /** Fresh. */
  passing: count,
  /** Passes with stale results: see rules/checks/check-freshness. */
  old: count,
  info: count,
  warning: count,
  error: count,
  pending: count,
})
export type CheckCountsOfPolicy = z.infer<typeof CheckCountsOfPolicy>

export const CheckOfPolicy = PolicyCheck.omit({ id: true }).extend({
  ...PolicyItem.shape,
  readable_desc: z.string(),
  /** Tasks of the policy that run when it fails. */
  assignedtasks: z.array(z.object({ id: z.int(), name: z.string() })),
  counts: CheckCountsOfPolicy,
})
export type CheckOfPolicy = z.infer<typeof CheckOfPolicy>

export const TaskCountsOfPolicy = z.object({ passing: count, failing: count, pending: count })
export type TaskCountsOfPolicy = z.infer<typeof TaskCountsOfPolicy>

export const TaskOfPolicy = TaskFields.extend({
  ...PolicyItem.shape,
  task_supported_platforms: z.array(Platform),
  /** Its schedule as text. */
  schedule: z.string(),
  check_name: z.string().nullable(),
  counts: TaskCountsOfPolicy,
})
export type TaskOfPolicy = z.infer<typeof TaskOfPolicy>

const machine = {
  agent_id: AgentId,
  hostname: z.string(),
  client_name: z.string(),
  site_name: z.string(),
}

export const CheckOnMachine = CheckState.extend({ ...machine, check_id: z.int() })
export type CheckOnMachine = z.infer<typeof CheckOnMachine>

export const TaskOnMachine = TaskResult.extend({ ...machine, task_id: z.int() })
export type TaskOnMachine = z.infer<typeof TaskOnMachine>

export const SentRuns = z.object({ sent: count, offline: count })
