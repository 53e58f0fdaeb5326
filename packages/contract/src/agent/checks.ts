import { z } from 'zod'
import { Interpreter, RunAsUser } from './shells.ts'

/**
 * Checks on the agent's link: what a machine measures, how often, and the results. Thresholds stay on the server,
 * and `@muster/rules/checks/table` decides whether a result is good. Checks that the server itself runs are in
 * checks/server-checks.ts.
 */
export const MACHINE_CHECK_TYPES = [
  'diskspace',
  'cpuload',
  'memory',
  'ping',
  'service',
  'script',
  'process',
  'file',
  'eventlog',
  'journal',
] as const
export const MachineCheckType = z.enum(MACHINE_CHECK_TYPES)
export type MachineCheckType = z.infer<typeof MachineCheckType>

/** Values that the machine hides in all output. */
export const Secrets = z.array(z.string().max(10_000)).max(500)

const Path = z.string().trim().min(1, 'A path is needed.').max(1000)
const Name = z.string().trim().min(1, 'A name is needed.').max(255)
/** Part of a text, case-insensitive; null = any. Never a pattern. */
const Part = z.string().min(1).max(500).nullable()

export const EVENT_LOGS = ['Application', 'System', 'Security'] as const
export const EVENT_TYPES = ['INFO', 'WARNING', 'ERROR', 'AUDIT_SUCCESS', 'AUDIT_FAILURE'] as const
/** Most serious first; journald counts them from 0. */
export const JOURNAL_PRIORITIES = [
  'emerg',
  'alert',
  'crit',
  'err',
  'warning',
  'notice',
  'info',
  'debug',
] as const

const EVENT_ID_NEEDED = 'Use * for every event, or a number from 0 to 65535.'
export const EventId = z.int(EVENT_ID_NEEDED).min(0, EVENT_ID_NEEDED).max(65_535, EVENT_ID_NEEDED)

/** Settings of each type that the machine needs. */
export const measureSettings = {
  /** `disk` is a mount point, on Windows a drive such as `C:`, or `*` for every fixed disk. */
  diskspace: z.object({ disk: Path }),
  cpuload: z.object({}),
  memory: z.object({}),
  ping: z.object({
    ip: z
      .string()
      .trim()
      .min(1, 'A host name or an address is needed.')
      .max(253)
      .regex(/^[A-Za-z0-9_.:%-]+$/, 'Use a host name or an address.')
      .refine((host) => !host.startsWith('-'), 'Use a host name or an address.'),
  }),
  /** A systemd unit, a Windows service or a launchd label. */
  service: z.object({
    svc_name: Name.regex(/^[^-/\s][^/\r\n]*$/, 'Use the name of a service.'),
    restart_if_stopped: z.boolean(),
  }),
  /** The current text of the script. */
  script: z.object({
    interpreter: Interpreter,
    body: z.string().max(1_000_000),
    args: z.array(z.string().max(10_000)).max(200),
    env_vars: z.array(z.string().max(10_000)).max(200),
    timeout_seconds: z.int().min(1).max(3600),
    run_as_user: RunAsUser.optional(),
    secrets: Secrets.optional(),
    /** Why it cannot be run: a variable has no value. */
    problem: z.string().max(500).optional(),
  }),
  /** Processes with this program name (`sshd`, `notepad.exe`), case-sensitive on Linux only. */
  process: z.object({ process_name: Name }),
  file: z.object({ path: Path }),
  /** Windows only. `event_source` and `event_message` match parts of the event's texts. */
  eventlog: z.object({
    log_name: z.enum(EVENT_LOGS),
    event_id: EventId,
    event_id_is_wildcard: z.boolean(),
    event_type: z.enum(EVENT_TYPES),
    event_source: Part,
    event_message: Part,
    /** 0 = the whole log. */
    search_last_days: z.int().min(0).max(9999),
  }),
  /** systemd only: entries of this priority or a more serious one. */
  journal: z.object({
    /** Null = any. */
    unit: z
      .string()
      .trim()
      .min(1)
      .max(255)
      .regex(/^[^-/\s][^/\s]*$/, 'Use the name of a unit.')
      .nullable(),
    priority: z.enum(JOURNAL_PRIORITIES),
    event_message: Part,
    search_last_minutes: z.int().min(1).max(525_600),
  }),
} as const satisfies Record<MachineCheckType, z.ZodType>

const DefinitionHead = {
  id: z.int(),
  /** Changes whenever anything else in the definition does. */
  revision: z.string().max(64),
  run_interval_seconds: z.int().min(10).max(86_400),
}
export const CheckDefinition = z.discriminatedUnion('check_type', [
  z.object({ ...DefinitionHead, check_type: z.literal('diskspace'), settings: measureSettings.diskspace }),
  z.object({ ...DefinitionHead, check_type: z.literal('cpuload'), settings: measureSettings.cpuload }),
  z.object({ ...DefinitionHead, check_type: z.literal('memory'), settings: measureSettings.memory }),
  z.object({ ...DefinitionHead, check_type: z.literal('ping'), settings: measureSettings.ping }),
  z.object({ ...DefinitionHead, check_type: z.literal('service'), settings: measureSettings.service }),
  z.object({ ...DefinitionHead, check_type: z.literal('script'), settings: measureSettings.script }),
  z.object({ ...DefinitionHead, check_type: z.literal('process'), settings: measureSettings.process }),
  z.object({ ...DefinitionHead, check_type: z.literal('file'), settings: measureSettings.file }),
  z.object({ ...DefinitionHead, check_type: z.literal('eventlog'), settings: measureSettings.eventlog }),
  z.object({ ...DefinitionHead, check_type: z.literal('journal'), settings: measureSettings.journal }),
])
export type CheckDefinition = z.infer<typeof CheckDefinition>

const Bytes = z.number().min(0).max(Number.MAX_SAFE_INTEGER)
const Percent = z.number().min(0).max(100)
export const SERVICE_STATES = ['running', 'start_pending', 'stopped', 'failed', 'missing'] as const

/** A number from the output of a script check: a line `metric name=value [unit]`. */
export const Metric = z.object({
  name: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/),
  value: z.number(),
  unit: z.string().max(16),
})
export type Metric = z.infer<typeof Metric>
export const MAX_METRICS = 20
export const MAX_BAD_METRIC_LINES = 5
export const MAX_METRIC_LINE = 200
export const MAX_UNMEASURED_DISKS = 5

export const MAX_LOG_ENTRIES = 20
export const MAX_LOG_MESSAGE = 500
/** Matching log entries. */
const FoundEntries = {
  count: z.int().min(0),
  /** `false` = only the newest part of the log was read in time. */
  is_whole: z.boolean(),
  /** Newest first. */
  entries: z
    .array(
      z.object({
        at: z.iso.datetime(),
        source: z.string().max(255),
        event_id: z.string().max(64),
        message: z.string().max(MAX_LOG_MESSAGE),
      }),
    )
    .max(MAX_LOG_ENTRIES),
}

/**
 * Measurements by type. `unmeasurable`: the machine could not measure, with the reason. `not_measured`: because the
 * machine lacks what the check needs, so nothing is known about the target. Older agents and servers do not know it.
 */
export const Measured = z.discriminatedUnion('check_type', [
  z.object({
    check_type: z.literal('unmeasurable'),
    reason: z.string().max(500),
    not_measured: z.literal(true).optional(),
  }),
  z.object({
    check_type: z.literal('diskspace'),
    /** The fullest disk, of a check of every disk. */
    disk: z.string().max(1000).optional(),
    /** `false` = the mount or drive does not exist, and all numbers are 0. */
    exists: z.boolean(),
    /** The target, if the path is a link. */
    link_to: z.string().max(4096).optional(),
    /** The mount that a folder is on, if it exists and is no mount point. */
    is_on: z.string().max(4096).optional(),
    total_bytes: Bytes,
    /** Without the part reserved for the system. Absent: not reported by this agent, which counts it as used. */
    used_bytes: Bytes.optional(),
    /** Available to users. */
    free_bytes: Bytes,
    /** Null if the file system counts none. */
    inodes_total: Bytes.nullable(),
    inodes_free: Bytes.nullable(),
    /** Disks that could not be measured, of a check of every disk. */
    unmeasured: z
      .array(z.object({ disk: z.string().max(1000), reason: z.string().max(500) }))
      .max(MAX_UNMEASURED_DISKS)
      .optional(),
  }),
  /** Average since the last run of the check, at most over its interval. */
  z.object({ check_type: z.literal('cpuload'), percent: Percent }),
  z.object({
    check_type: z.literal('memory'),
    percent: Percent,
    total_bytes: Bytes,
    /** Null without swap. */
    swap_percent: Percent.nullable(),
  }),
  z.object({
    check_type: z.literal('ping'),
    sent: z.int().min(0),
    received: z.int().min(0),
    /** Average of the replies. */
    ms: z.number().min(0).nullable(),
    output: z.string().max(4000),
  }),
  z.object({
    check_type: z.literal('service'),
    state: z.enum(SERVICE_STATES),
    /** Whether this check found it stopped and has started it. */
    restarted: z.boolean(),
    detail: z.string().max(500),
  }),
  z.object({
    check_type: z.literal('script'),
    outcome: z.enum(['exited', 'timed_out', 'failed']),
    retcode: z.int().nullable(),
    /** 10,000 characters each: of a longer one, the first and the last part. Old agents keep the last part. */
    stdout: z.string().max(10_000),
    stderr: z.string().max(10_000),
    /** Seconds. */
    execution_time: z.number().min(0),
    metrics: z.array(Metric).max(MAX_METRICS),
    /** The first lines that begin as a metric and are none, numbered from 1. Absent if there are none. */
    bad_metric_lines: z
      .array(z.object({ line: z.int().min(1), text: z.string().max(MAX_METRIC_LINE) }))
      .max(MAX_BAD_METRIC_LINES)
      .optional(),
  }),
  z.object({ check_type: z.literal('process'), count: z.int().min(0), memory_bytes: Bytes }),
  z.object({
    check_type: z.literal('file'),
    exists: z.boolean(),
    size_bytes: Bytes,
    age_seconds: z.number(),
  }),
  z.object({ check_type: z.literal('eventlog'), ...FoundEntries }),
  z.object({ check_type: z.literal('journal'), ...FoundEntries }),
])
export type Measured = z.infer<typeof Measured>

export const CheckResult = z.object({
  check_id: z.int(),
  revision: z.string().max(64),
  /** Time of the measurement, corrected to the server's clock. */
  at: z.iso.datetime(),
  measured: Measured,
})
export type CheckResult = z.infer<typeof CheckResult>
export const MAX_RESULTS = 500
