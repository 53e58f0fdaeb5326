import { AGENT_SETTINGS, type NumberSetting } from '@muster/rules/policies/policy-merge'
import { z } from 'zod'
import { CheckSchedule, CheckSettings } from '../api/checks.ts'
import { TaskFields, TaskPlatforms } from '../api/tasks.ts'
import { Id, Platform } from '../fields.ts'

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

export const PolicyContent = z.object({
  checks: z.array(PolicyCheck).max(200, 'A policy has at most 200 checks.'),
  tasks: z.array(PolicyTask).max(50, 'A policy has at most 50 tasks.'),
  agent_settings: AgentSettingValues,
  /** For the machines that it applies to; null = not set. */
  alert_template: Id.nullable(),
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
}
