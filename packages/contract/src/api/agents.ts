import { z } from 'zod'
import { AgentFacts } from '../agent/facts.ts'
import { CustomFieldPayloads, CustomFieldValue, NamedFieldValue } from '../custom-field-values.ts'
import { endpoint } from '../endpoint.ts'
import { PolicyLevel } from '../policies/assigned-policies.ts'
import {
  AgentId,
  AgentParams,
  Id,
  Instant,
  ListQuery,
  MonitoringType,
  Platform,
  QueryFlag,
} from '../fields.ts'
import { TagNames } from '../tag-names.ts'
import { AgentPackage, Goarch, INSTALL_FLAGS, InstallMethod } from './installers.ts'
import { OwnWinUpdate, OwnWinUpdateChange, WinUpdateView } from '../policies/win-update-policy.ts'

export const AgentStatus = z.enum(['online', 'offline', 'overdue'])

/** See rules/checks/check-freshness for fresh and stale results. */
export const CheckCounts = z.object({
  total: z.int(),
  /** Fresh. */
  passing: z.int(),
  failing: z.int(),
  warning: z.int(),
  info: z.int(),
  has_failing_checks: z.boolean(),
  /** Passing checks with stale results. */
  old: z.int(),
  /** When the oldest of these ran; null = none is stale. */
  old_since: Instant.nullable(),
  /** Without a result. */
  pending: z.int(),
})

/** The effective alert template of a machine, with its `always_` fields for offline machines. */
const CountingTemplate = z.object({
  id: z.int(),
  name: z.string(),
  always_email: z.boolean().nullable(),
  always_text: z.boolean().nullable(),
  always_alert: z.boolean().nullable(),
})

/** A row of the machines table. */
export const AgentRow = z.object({
  agent_id: AgentId,
  hostname: z.string(),
  client: z.string(),
  site: z.string(),
  client_name: z.string(),
  site_name: z.string(),
  client_id: z.int(),
  site_id: z.int(),
  monitoring_type: MonitoringType,
  /** Its agent runs as the user of a server: only superusers may act on it. */
  server_machine: z.boolean(),
  plat: Platform,
  goarch: z.string(),
  description: z.string(),
  status: AgentStatus,
  connected: z.boolean(),
  last_seen: Instant.nullable(),
  /** Unix seconds. */
  boot_time: z.number().nullable(),
  offline_time: z.int(),
  overdue_time: z.int(),
  checks: CheckCounts,
  maintenance_mode: z.boolean(),
  needs_reboot: z.boolean(),
  has_patches_pending: z.boolean(),
  pending_actions_count: z.int(),
  logged_username: z.string(),
  italic: z.boolean(),
  overdue_email_alert: z.boolean(),
  overdue_text_alert: z.boolean(),
  overdue_dashboard_alert: z.boolean(),
  alert_template: CountingTemplate.nullable(),
  /** The first policy assigned to the machine itself. */
  policy: z.int().nullable(),
  block_policy_inheritance: z.boolean(),
  version: z.string(),
  operating_system: z.string(),
  public_ip: z.string(),
  local_ips: z.string(),
  cpu_model: z.array(z.string()),
  graphics: z.string(),
  make_model: z.string(),
  physical_disks: z.array(z.string()),
  serial_number: z.string(),
  /** Bytes; 0 = unknown. */
  ram_bytes: z.number(),
  disks: z.array(z.object({ mount: z.string(), total: z.number(), used: z.number(), free: z.number() })),
  custom_fields: z.array(CustomFieldValue.extend({ agent: AgentId })),
  /** Tags of the machine and its client, sorted. */
  tags: z.array(z.string()),
  /** Problems of the agent itself (full disk, wrong clock), as messages. */
  problems: z.array(z.string()),
})
export type AgentRow = z.infer<typeof AgentRow>

/** Names only, for choosing a machine (`?detail=false`). */
export const AgentName = z.object({
  id: z.int(),
  agent_id: AgentId,
  hostname: z.string(),
  client: z.string(),
  site: z.string(),
})

/** Whether an alert opens when the machine is overdue: `default` follows its policies or the global settings. */
export const AvailabilityAlerts = z.enum(['default', 'on', 'off'])
export type AvailabilityAlerts = z.infer<typeof AvailabilityAlerts>

export const EditableAgent = z.object({
  site: Id,
  monitoring_type: MonitoringType,
  description: z.string().max(255),
  time_zone: z.string().max(64).nullable(),
  check_interval: z.int().min(15).max(86_400),
  offline_time: z.int().min(2).max(9_999_998),
  overdue_time: z.int().min(3).max(9_999_998),
  overdue_email_alert: z.boolean(),
  overdue_text_alert: z.boolean(),
  /** The effective value. Changing it sets the machine's own: the same as `availability_alerts` on or off. */
  overdue_dashboard_alert: z.boolean(),
  availability_alerts: AvailabilityAlerts,
  maintenance_mode: z.boolean(),
  /** All tags of the machine itself; unknown names become new tags. */
  own_tags: TagNames,
  default_shell: z.enum(['use_global', 'cmd', 'powershell', 'bash', 'custom']),
  default_shell_custom: z.string().max(255),
  /** Assigned to the machine itself. */
  alert_template: Id.nullable(),
})
export type EditableAgent = z.infer<typeof EditableAgent>

/**
 * `waiting`: ordered by a user, and the machine is offline. `offered`, `downloading`, `installed`: on the way; an
 * installed version is on trial. After `failed` and `rolled_back` the earlier version runs.
 */
export const UpdateState = z.enum([
  'waiting',
  'offered',
  'downloading',
  'installed',
  'confirmed',
  'failed',
  'rolled_back',
])
export type UpdateState = z.infer<typeof UpdateState>

/** The last update of a machine. */
export const AgentUpdate = z.object({
  version: z.string(),
  state: UpdateState,
  /** A sentence, for `failed` and `rolled_back`. */
  reason: z.string().nullable(),
  /** The user who ordered it; null = it came with a wave. */
  username: z.string().nullable(),
  changed_at: Instant,
})
export type AgentUpdate = z.infer<typeof AgentUpdate>

/** All details of one machine. `site` is the id here, as `PUT` takes it. */
export const AgentDetail = AgentRow.omit({ client: true, site: true }).extend({
  id: z.int(),
  client: z.string(),
  site: z.int(),
  time_zone: z.string().nullable(),
  /** The machine's own zone as it reports it. */
  timezone: z.string(),
  check_interval: z.int(),
  availability_alerts: AvailabilityAlerts,
  /** Tags of the machine itself. `tags` includes those of its client. */
  own_tags: z.array(z.string()),
  default_shell: EditableAgent.shape.default_shell,
  default_shell_custom: z.string(),
  /** Assigned to the machine itself. The effective one is the other. */
  alert_template: z.int().nullable(),
  effective_alert_template: CountingTemplate.nullable(),
  /** Policies that apply to it, the nearest first; empty if the caller may not list policies. */
  applied_policies: z.array(
    z.object({ id: z.int(), name: z.string(), level: PolicyLevel, enforced: z.boolean() }),
  ),
  /** Its own patch policy; empty if it has none, or if the caller may not manage patches. */
  winupdatepolicy: z.array(OwnWinUpdate).max(1),
  /** Together with those of its policies; null if the caller may not manage patches. */
  effective_patch_policy: WinUpdateView.nullable(),
  total_ram: z.number(),
  created: Instant,
  modified: z.string(),
  custom_fields: z.array(NamedFieldValue.extend({ agent: AgentId })),
  facts: AgentFacts.nullable(),
  clock_skew_seconds: z.number().nullable(),
  /** Id of the maintenance window that turned maintenance mode on; null = a user did, or it is off. */
  maintenance_by: z.int().nullable(),
  link_lost_at: Instant.nullable(),
  /** Whether its agent can install versions of itself. */
  can_update: z.boolean(),
  update: AgentUpdate.nullable(),
})
export type AgentDetail = z.infer<typeof AgentDetail>

export const listAgents = endpoint({
  method: 'GET',
  path: '/agents/',
  access: 'can_list_agents',
  summary: 'List machines of one client or site, or all; detail=false returns names only',
  query: ListQuery.extend({
    monitoring_type: MonitoringType.optional(),
    client: Id.optional(),
    site: Id.optional(),
    detail: QueryFlag.optional(),
  }),
  response: z.union([z.array(AgentRow), z.array(AgentName)]),
  paged: true,
})

export const getAgent = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/',
  access: 'can_list_agents',
  summary: 'Get all details of one machine',
  params: AgentParams,
  response: AgentDetail,
})

export const editAgent = endpoint({
  method: 'PUT',
  path: '/agents/:agent_id/',
  access: 'can_edit_agent',
  summary: 'Change some settings of a machine. With `modified`, refused if another user has saved since',
  params: AgentParams,
  body: EditableAgent.partial().extend({
    /** The first policy assigned to the machine itself; null = none. */
    policy: Id.nullable().optional(),
    block_policy_inheritance: z.boolean().optional(),
    custom_fields: CustomFieldPayloads.optional(),
    /** Its own patch policy; empty = none, so that all comes from its policies. */
    winupdatepolicy: z.array(OwnWinUpdateChange).max(1).optional(),
    modified: z.string().optional(),
  }),
  // Reported by machines, or effective for them.
  volatile: [
    'status',
    'connected',
    'last_seen',
    'boot_time',
    'checks',
    'needs_reboot',
    'has_patches_pending',
    'pending_actions_count',
    'logged_username',
    'italic',
    'version',
    'operating_system',
    'public_ip',
    'local_ips',
    'physical_disks',
    'ram_bytes',
    'disks',
    'tags',
    'problems',
    'effective_alert_template',
    'applied_policies',
    'effective_patch_policy',
    'timezone',
    'facts',
    'clock_skew_seconds',
    'maintenance_by',
    'link_lost_at',
    'can_update',
    'update',
  ],
  response: AgentDetail,
})

export const deleteAgent = endpoint({
  method: 'DELETE',
  path: '/agents/:agent_id/',
  access: 'can_uninstall_agents',
  summary: 'Uninstall the agent if it is connected, and delete the machine',
  params: AgentParams,
  response: z.object({ uninstalled: z.boolean() }),
})

export const refreshAgent = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/wmi/',
  access: 'can_edit_agent',
  summary: 'Request a new inventory from the machine',
  params: AgentParams,
  response: AgentDetail,
})

export const pingAgent = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/ping/',
  access: 'can_list_agents',
  summary: 'Check whether the machine responds',
  params: AgentParams,
  response: z.object({ name: z.string(), status: z.enum(['online', 'offline']) }),
})

export const setMaintenance = endpoint({
  method: 'POST',
  path: '/agents/maintenance/bulk/',
  access: 'can_edit_agent',
  summary: 'Turn maintenance mode on or off for every machine of a client or site',
  body: z.object({ type: z.enum(['Client', 'Site']), id: Id, action: z.boolean() }),
  response: z.object({ changed: z.int() }),
})

export const turnOnAvailability = endpoint({
  method: 'POST',
  path: '/agents/availability/bulk/',
  access: 'can_edit_agent',
  summary: 'Turn on the availability alerts of every overdue machine that has none and is not in maintenance',
  response: z.object({
    changed: z.int(),
    /** Unchanged: an enforced policy turns the alerts off. */
    enforced: z.int(),
  }),
})

export const createInstaller = endpoint({
  method: 'POST',
  path: '/agents/installer/',
  access: 'can_install_agents',
  summary: 'Get the command that installs an agent, with a new enrolment token',
  body: z.object({
    client: Id,
    site: Id,
    agenttype: MonitoringType,
    plat: Platform,
    /** The processor for packages. A line detects the one of the machine. */
    goarch: Goarch.default('amd64'),
    /** Hours. */
    expires: z
      .int()
      .min(1)
      .max(24 * 365)
      .default(24),
    uses: z.int().min(1).max(100_000).default(100),
    /** Default: the line of the platform. `manual` is a package with the commands that install it silently. */
    installMethod: InstallMethod.optional(),
    /** The format of the package with `manual` on Linux. */
    format: z.enum(['deb', 'rpm']).default('deb'),
    ...INSTALL_FLAGS,
    /** An agent with its own data folder, which runs in the foreground. */
    data_folder: z
      .string()
      .max(1000)
      .regex(/^\P{Cc}*$/u, 'A path has no control characters.')
      .optional(),
  }),
  response: z.object({
    cmd: z.string(),
    url: z.string(),
    token: z.string(),
    expires: Instant,
    uses: z.int(),
    /** The package that the command installs; the server has begun to build it. Null: the command needs none. */
    package: AgentPackage.nullable(),
  }),
})
