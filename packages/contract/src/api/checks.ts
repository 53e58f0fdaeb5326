import { EVERY_DISK } from '@muster/rules/checks/every-disk'
import { z } from 'zod'
import { MACHINE_CHECK_TYPES, measureSettings } from '../agent/checks.ts'
import { endpoint } from '../endpoint.ts'
import {
  CheckDependency,
  CheckHistoryPoint,
  CheckSamples,
  CheckStatus,
  DependsOn,
} from '../checks/check-samples.ts'
import { alsoFlat } from '../checks/flat-body.ts'
import {
  logCheckFields,
  normalizeEventId,
  presenceCheckFields,
  ProcessCheck,
} from '../checks/machine-checks.ts'
import { SERVER_CHECK_TYPES, serverCheckFields } from '../checks/server-checks.ts'
import {
  AgentId,
  AgentParams,
  Id,
  IdParams,
  Instant,
  ListQuery,
  Nothing,
  PolicyItem,
  Severity,
} from '../fields.ts'

export const CHECK_TYPES = [...MACHINE_CHECK_TYPES, ...SERVER_CHECK_TYPES] as const
export const CheckType = z.enum(CHECK_TYPES)
export type CheckType = z.infer<typeof CheckType>

const MAX_PERCENT = 99
const PercentThreshold = z.number().min(0).max(MAX_PERCENT)
const ReturnCodes = z.array(z.int().min(0).max(2_147_483_647)).max(50)
const EnvVars = measureSettings.script.shape.env_vars
const Name = z.string().trim().min(1, 'A name is needed.').max(255)
const alert_severity = Severity.default('warning')

export const DISK_UNITS = ['percent', 'gigabytes', 'inodes'] as const

/** The own fields of each type, with the names of the field's API. */
export const checkFields = {
  /** Thresholds are free space: percent, gigabytes, or percent of the inodes. */
  diskspace: z.object({
    disk: measureSettings.diskspace.shape.disk,
    threshold_unit: z.enum(DISK_UNITS).default('percent'),
    warning_threshold: z.number().min(0).max(1_000_000).default(25),
    error_threshold: z.number().min(0).max(1_000_000).default(10),
  }),
  cpuload: z.object({
    warning_threshold: PercentThreshold.default(70),
    error_threshold: PercentThreshold.default(90),
  }),
  memory: z.object({
    memory_kind: z.enum(['memory', 'swap']).default('memory'),
    warning_threshold: PercentThreshold.default(70),
    error_threshold: PercentThreshold.default(85),
  }),
  ping: z.object({ name: Name, ip: measureSettings.ping.shape.ip, alert_severity }),
  service: z.object({
    svc_name: measureSettings.service.shape.svc_name,
    /** Display name of the check, beside the name of the service. */
    svc_display_name: z.string().trim().max(255).optional(),
    restart_if_stopped: z.boolean().default(false),
    pass_if_start_pending: z.boolean().default(false),
    pass_if_svc_not_exist: z.boolean().default(false),
    alert_severity,
  }),
  script: z.object({
    script: Id,
    script_args: measureSettings.script.shape.args.default([]),
    env_vars: EnvVars.default([]),
    /** Seconds. */
    timeout: measureSettings.script.shape.timeout_seconds.default(120),
    info_return_codes: ReturnCodes.default([]),
    warning_return_codes: ReturnCodes.default([]),
    success_return_codes: ReturnCodes.default([]),
    metric_thresholds: z
      .array(
        z.object({
          name: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'Letters, digits, dot, dash and underscore.'),
          /** Null = not set: 0 and negative numbers are values. */
          warning_threshold: z.number().nullable(),
          error_threshold: z.number().nullable(),
          reverse: z.boolean(),
        }),
      )
      .max(20)
      .default([]),
  }),
  ...presenceCheckFields,
  ...logCheckFields,
  ...serverCheckFields,
} as const satisfies Record<CheckType, z.ZodType>

/** `check_type` and the own fields of that type. */
const CheckSettingsUnion = z.discriminatedUnion('check_type', [
  checkFields.diskspace.extend({ check_type: z.literal('diskspace') }).superRefine((disk, issues) => {
    if (disk.disk === EVERY_DISK && disk.threshold_unit !== 'percent')
      issues.addIssue({
        code: 'custom',
        path: ['threshold_unit'],
        message: 'Every disk is measured in percent.',
      })
    if (disk.threshold_unit === 'gigabytes') return
    for (const field of ['warning_threshold', 'error_threshold'] as const) {
      if (disk[field] > MAX_PERCENT)
        issues.addIssue({ code: 'custom', path: [field], message: `At most ${MAX_PERCENT} percent.` })
    }
  }),
  checkFields.cpuload.extend({ check_type: z.literal('cpuload') }),
  checkFields.memory.extend({ check_type: z.literal('memory') }),
  checkFields.ping.extend({ check_type: z.literal('ping') }),
  checkFields.service.extend({ check_type: z.literal('service') }),
  checkFields.script.extend({ check_type: z.literal('script') }),
  ProcessCheck,
  checkFields.file.extend({ check_type: z.literal('file') }),
  checkFields.eventlog.extend({ check_type: z.literal('eventlog') }),
  checkFields.journal.extend({ check_type: z.literal('journal') }),
  checkFields.http.extend({ check_type: z.literal('http') }).superRefine((http, issues) => {
    if (http.method === 'GET') return
    for (const field of ['text_present', 'text_absent'] as const) {
      if (http[field] !== null)
        issues.addIssue({ code: 'custom', path: [field], message: 'A HEAD response has no text.' })
    }
  }),
  checkFields.tcp.extend({ check_type: z.literal('tcp') }),
  checkFields.dns.extend({ check_type: z.literal('dns') }),
])
// The schema itself is what is documented; other forms of an event id are for callers of the API.
export const CheckSettings = z.preprocess(normalizeEventId, CheckSettingsUnion) as unknown as z.ZodType<
  z.output<typeof CheckSettingsUnion>,
  z.input<typeof CheckSettingsUnion>
>
export type CheckSettings = z.infer<typeof CheckSettings>

export const CheckSchedule = {
  /** Number of consecutive failed runs before the check fails. */
  fails_b4_alert: z.int().min(1).max(10).default(1),
  /** Seconds; 0 = the machine's own check interval. */
  run_interval: z
    .int()
    .min(0)
    .max(86_400)
    .refine((seconds) => seconds === 0 || seconds >= 10, 'At least 10 seconds, or 0 for the usual interval.')
    .default(0),
}

const CheckFields = {
  settings: CheckSettings,
  ...CheckSchedule,
  /** Unchanged if missing. */
  depends_on: DependsOn.optional(),
}

export const CheckState = z.object({
  status: CheckStatus,
  /** Null for a passing check. */
  alert_severity: Severity.nullable(),
  more_info: z.string(),
  last_run: Instant.nullable(),
  /** A pass counts until then, twice the interval after it. Null = no result yet. */
  fresh_until: Instant.nullable(),
  fail_count: z.int(),
  failing_since: Instant.nullable(),
  /** For scripts. */
  stdout: z.string(),
  stderr: z.string(),
  retcode: z.int().nullable(),
  /** Seconds. */
  execution_time: z.number().nullable(),
})
export type CheckState = z.infer<typeof CheckState>

/** A check of a machine with its last result. `settings` are the own fields of its type. */
export const Check = z.object({
  id: z.int(),
  agent_id: AgentId,
  settings: CheckSettings,
  readable_desc: z.string(),
  /** For a script check; null if the script was deleted. */
  script_name: z.string().nullable(),
  fails_b4_alert: z.int(),
  run_interval: z.int(),
  /** The policy that defines it; null = the machine's own. */
  policy: z.int().nullable(),
  policy_name: z.string().nullable(),
  /** An enforced policy has the same check, so this one does not run. */
  overridden_by_policy: z.boolean(),
  depends_on: z.int().nullable(),
  /** The check that it depends on; also null if the caller may not see that one. */
  dependency: CheckDependency.nullable(),
  /** The same as the id: a check belongs to one machine. */
  check_result: CheckState.extend({ id: z.int() }),
  /** Changes with every edit, to detect concurrent saves. */
  modified: z.string(),
})
export type Check = z.infer<typeof Check>

export const listAgentChecks = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/checks/',
  access: 'can_list_checks',
  summary: 'List the checks of a machine with their last results',
  params: AgentParams,
  query: ListQuery,
  response: z.array(Check),
  paged: true,
})

export const listChecks = endpoint({
  method: 'GET',
  path: '/checks/',
  access: 'can_list_checks',
  summary: 'List the checks of every machine that the caller may see',
  query: ListQuery,
  response: z.array(Check),
  paged: true,
})

export const createCheck = endpoint({
  method: 'POST',
  path: '/checks/',
  access: 'can_manage_checks',
  summary:
    'Add a check to a machine; with `policy` instead of `agent`, add it to that policy and return its place there',
  body: alsoFlat(z.object({ agent: AgentId.optional(), policy: Id.optional(), ...CheckFields })),
  response: z.union([Check, PolicyItem]),
})

export const getCheck = endpoint({
  method: 'GET',
  path: '/checks/:id/',
  access: 'can_list_checks',
  summary: 'One check',
  params: IdParams,
  response: Check,
})

export const editCheck = endpoint({
  method: 'PUT',
  path: '/checks/:id/',
  access: 'can_manage_checks',
  summary:
    'Change some or all fields of a check, except its type. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: alsoFlat(
    z.object({
      settings: CheckSettings.optional(),
      fails_b4_alert: CheckSchedule.fails_b4_alert.unwrap().optional(),
      run_interval: CheckSchedule.run_interval.unwrap().optional(),
      depends_on: CheckFields.depends_on,
      modified: z.string().optional(),
    }),
  ),
  volatile: ['check_result', 'dependency', 'readable_desc', 'script_name', 'overridden_by_policy'],
  response: Check,
})

export const deleteCheck = endpoint({
  method: 'DELETE',
  path: '/checks/:id/',
  access: 'can_manage_checks',
  summary: 'Delete a check with its history',
  params: IdParams,
  response: Nothing,
})

export const resetCheck = endpoint({
  method: 'POST',
  path: '/checks/:id/reset/',
  access: 'can_manage_checks',
  summary: 'Reset the last result: the check is pending until it runs again',
  params: IdParams,
  response: Check,
})

export const resetAllChecks = endpoint({
  method: 'POST',
  path: '/checks/:agent_id/resetall/',
  access: 'can_manage_checks',
  summary: 'Reset the last results of all checks of a machine',
  params: AgentParams,
  response: z.object({ changed: z.int() }),
})

export const runChecks = endpoint({
  method: 'POST',
  path: '/checks/:agent_id/run/',
  access: 'can_run_checks',
  summary:
    'Run some or all checks of a machine now; checks on the machine itself are refused if it is not connected',
  params: AgentParams,
  body: z.object({ ids: z.array(Id).max(5000).optional() }),
  response: Nothing,
})

export const runNodeChecks = endpoint({
  method: 'POST',
  path: '/checks/:level/:id/csbulkrun/',
  access: 'can_run_checks',
  summary:
    'Run all checks of every machine of a client or a site now; those that are not connected are counted',
  params: z.object({ level: z.enum(['client', 'site']), id: IdParams.shape.id }),
  response: z.object({ sent: z.int(), offline: z.int() }),
})

export const getCheckSamples = endpoint({
  method: 'GET',
  path: '/checks/:id/samples/',
  access: 'can_list_checks',
  summary: 'Get the measurements of a check between two times, in as many points as a graph needs',
  params: IdParams,
  query: z.object({
    /** Unix seconds. */
    from: z.coerce.number().int().min(0),
    to: z.coerce.number().int().min(0),
    /** 0 = every sample, 300 or 3600 = averages of that many seconds; absent = at most 2,000 points. */
    resolution: z.coerce
      .number()
      .pipe(z.union([z.literal(0), z.literal(300), z.literal(3600)]))
      .optional(),
  }),
  response: CheckSamples,
})

export const getCheckHistory = endpoint({
  method: 'PATCH',
  path: '/checks/:id/history/',
  access: 'can_list_checks',
  withLowDisk: true,
  summary:
    'Get the measurements of a check in the last days as one list, oldest first, in at most some thousand points',
  params: IdParams,
  body: z.object({
    /** Days; 0 = everything that is stored. */
    timeFilter: z.int().min(0).max(36_500),
  }),
  response: z.array(CheckHistoryPoint),
})
