import { WANTED_STATES } from '@muster/rules/agents/wanted-software'
import { AGENT_SETTINGS, type NumberSetting } from '@muster/rules/policies/policy-merge'
import { z } from 'zod'
import { PackageName } from '../agent/patches.ts'
import { CheckSchedule, CheckSettings } from '../api/checks.ts'
import { TaskFields, TaskPlatforms } from '../api/tasks.ts'
import { Id, Platform } from '../fields.ts'
import { NO_PATCH_POLICY, PatchPolicy } from './patch-policy.ts'

/** Content of policies, one field per kind. The server has a file for each in features/policies/kinds. */

export const PolicyCheck = z.object({
  /** Stays the same over all versions of the policy; a new item has none. */
  id: z.int().min(1).max(1_000_000).optional(),
  settings: CheckSettings,
  ...CheckSchedule,
  /** The id of another check of this policy. On each machine, its own checks depend on each other. */
  depends_on: z.int().min(1).max(1_000_000).optional(),
})
export type PolicyCheck = z.infer<typeof PolicyCheck>

/** `assigned_check` is the id of a check of the same policy. */
export const PolicyTask = z.object({
  /** As for checks; checks and tasks share one sequence of ids. */
  id: z.int().min(1).max(1_000_000).optional(),
  task: TaskFields,
  /** Applies to machines of these systems only. */
  task_supported_platforms: TaskPlatforms.default([...Platform.options]),
})
export type PolicyTask = z.infer<typeof PolicyTask>

function setting(name: NumberSetting) {
  const { least, most } = AGENT_SETTINGS[name]
  return z.int().min(least).max(most).nullable()
}

/** Null = not set. */
const settingValues = {
  check_interval: setting('check_interval'),
  offline_time: setting('offline_time'),
  overdue_time: setting('overdue_time'),
  /** Whether an overdue machine raises an alert. */
  overdue_dashboard_alert: z.boolean().nullable(),
}
/** Settings of one machine; missing ones stay unchanged. */
export const OwnSettingValues = z.object(settingValues).partial()
export const AgentSettingValues = z.object({
  ...settingValues,
  // Older clients do not send it.
  overdue_dashboard_alert: settingValues.overdue_dashboard_alert.default(null),
})
export type AgentSettingValues = z.infer<typeof AgentSettingValues>

/** A package that machines have, in the newest version or any, or do not have. */
export const PolicySoftware = z.object({
  /** As in the package managers of the machines: the first one that a machine knows or has. */
  names: z.array(PackageName).min(1, 'Enter the name of a package.').max(5),
  state: z.enum(WANTED_STATES),
  /** Applies to machines of these systems only. */
  platforms: z
    .array(Platform)
    .min(1, 'Choose a system.')
    .default([...Platform.options]),
  /** Changes start only while a maintenance window that covers the machine is open. */
  in_windows: z.boolean().default(false),
})
export type PolicySoftware = z.infer<typeof PolicySoftware>

export const PolicyContent = z.object({
  checks: z.array(PolicyCheck).max(200, 'A policy has at most 200 checks.'),
  tasks: z.array(PolicyTask).max(50, 'A policy has at most 50 tasks.'),
  agent_settings: AgentSettingValues,
  /** For the machines that it applies to; null = not set. */
  alert_template: Id.nullable(),
  patches: PatchPolicy,
  software: z
    .array(PolicySoftware)
    .max(100, 'A policy has at most 100 packages.')
    .refine(
      (all) => new Set(all.map(({ names }) => names[0]?.toLowerCase())).size === all.length,
      'A package stands twice.',
    ),
})
export type PolicyContent = z.infer<typeof PolicyContent>

export const NO_CONTENT: PolicyContent = {
  checks: [],
  tasks: [],
  agent_settings: {
    check_interval: null,
    offline_time: null,
    overdue_time: null,
    overdue_dashboard_alert: null,
  },
  alert_template: null,
  patches: NO_PATCH_POLICY,
  software: [],
}
