import { z } from 'zod'
import { FileMode, FileOwner, MAX_TEXT_BYTES } from '../agent/files.ts'
import { PackageName, PatchSeverity } from '../agent/patches.ts'
import { RegistryPath, ValueName } from '../agent/registry.ts'
import { PackageChange } from '../agent/software.ts'
import { ServiceAction, ServiceName, WantedStartType } from '../agent/services.ts'
import { PatchAction, PatchVersionId } from '../api/patches.ts'
import { PowerWarning } from '../api/power.ts'
import { RegistryTypeName } from '../api/registry.ts'
import { AgentId, Id, Instant, MonitoringType, Platform } from '../fields.ts'
import { TagNames } from '../tag-names.ts'

const MAX_JOB_AGENTS = 20_000

/** The machines of a job: chosen ones, or those that match when it is planned. */
export const JobTarget = z.discriminatedUnion('by', [
  z.object({
    by: z.literal('agents'),
    agents: z.array(AgentId).min(1, 'Choose a machine.').max(MAX_JOB_AGENTS),
  }),
  /** As in the search of the machines table. */
  z.object({ by: z.literal('search'), search: z.string().trim().max(2000) }),
  z.object({ by: z.literal('client'), id: Id }),
  z.object({ by: z.literal('site'), id: Id }),
  /** Machines with this tag: their own, of a rule, or of their client. */
  z.object({ by: z.literal('tag'), id: Id }),
  z.object({ by: z.literal('all') }),
])
export type JobTarget = z.infer<typeof JobTarget>

const EnvVars = z
  .array(
    z
      .string()
      .max(10_000)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*=/, 'Write NAME=value.'),
  )
  .max(200)
const MAX_REGISTRY_BYTES = 64 * 1024
const FilePath = z
  .string()
  .max(4000)
  .regex(/^(?:\/|[A-Za-z]:[\\/])[^\0]*[^\0\\/]$/, 'Enter a full path, such as /etc/motd or C:\\motd.txt.')
const FileRights = {
  /** Linux and macOS. Null = unchanged; for a new file 0644, and the user of the agent. */
  mode: FileMode.nullable().default(null),
  owner: FileOwner.nullable().default(null),
}
const Timeout = z.int().min(1).max(86_400)
const RunAsUser = z.union([z.boolean(), z.string().max(64)])

export const JobAction = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('command'),
    shell: z.enum(['bash', 'sh', 'cmd', 'powershell', 'custom']),
    custom_shell: z.string().max(1000).nullable().optional(),
    cmd: z.string().min(1, 'A command is needed.').max(100_000),
    env_vars: EnvVars.optional(),
    run_as_user: RunAsUser.optional(),
    /** Seconds; 30 by default. */
    timeout: Timeout.optional(),
  }),
  /** A script of the library. Without args, env_vars and timeout those of the script are used. */
  z.object({
    type: z.literal('script'),
    script: Id,
    args: z.array(z.string().max(10_000)).max(200).optional(),
    env_vars: EnvVars.optional(),
    run_as_user: RunAsUser.optional(),
    timeout: Timeout.optional(),
    /** Also stores the output as a note of each machine. */
    save_as_note: z.boolean().optional(),
    /** Also stores the last line of the output in this custom field, or all of it. Not if the script fails. */
    save_to_field: Id.optional(),
    save_all_output: z.boolean().optional(),
  }),
  /** Without a signed-in user, or with `now`, at once. `wake` ignores the warning. */
  z.object({
    type: z.literal('power'),
    action: z.enum(['reboot', 'shutdown', 'wake']),
    now: z.boolean().default(false),
    warning: PowerWarning.prefault({}),
  }),
  /** The start type is set before the service is started, and after it is stopped. */
  z
    .object({
      type: z.literal('service'),
      name: ServiceName,
      action: ServiceAction.optional(),
      start_type: WantedStartType.optional(),
    })
    .refine((service) => service.action !== undefined || service.start_type !== undefined, {
      message: 'Choose an action or a start type.',
    }),
  z.object({ type: z.literal('maintenance'), on: z.boolean() }),
  z.object({ type: z.literal('run_checks') }),
  /** Requests the facts of the machine. */
  z.object({ type: z.literal('refresh') }),
  z.object({ type: z.literal('scan_patches') }),
  /** Installs the approved patches. */
  z.object({ type: z.literal('install_patches'), timeout: z.int().min(60).max(86_400).default(7200) }),
  /** Packages of the machine's package manager. */
  z.object({
    type: z.literal('software'),
    do: PackageChange,
    /** The first one that the machine knows, or has if it is upgraded or removed. */
    names: z.array(PackageName).min(1).max(5),
    timeout: z.int().min(60).max(86_400).default(1800),
  }),
  /** Installs an uploaded file. */
  z.object({
    type: z.literal('package_file'),
    file: Id,
    timeout: z.int().min(60).max(86_400).default(1800),
  }),
  z.object({ type: z.literal('update_agent') }),
  z.object({ type: z.literal('move'), site: Id }),
  z.object({
    type: z.literal('custom_field'),
    field: Id,
    value: z.union([z.string().max(10_000), z.boolean(), z.array(z.string().max(255)).max(200)]),
  }),
  z
    .object({ type: z.literal('tags'), add: TagNames.default([]), remove: TagNames.default([]) })
    .refine((tags) => tags.add.length + tags.remove.length > 0, { message: 'Enter a tag.' }),
  /** Decides about patches that a machine can install: these versions, and all of these severities. */
  z
    .object({
      type: z.literal('approve_patches'),
      decision: PatchAction.default('approve'),
      patches: z.array(PatchVersionId).max(200).default([]),
      severities: z.array(PatchSeverity).max(5).default([]),
    })
    .refine((chosen) => chosen.patches.length + chosen.severities.length > 0, {
      message: 'Choose a patch or a severity.',
    }),
  /** Missing keys are created. Windows only. */
  z.object({
    type: z.literal('registry'),
    path: RegistryPath.min(1, 'Enter a key.'),
    name: ValueName,
    /** Null = delete the value. `bytes` is base64. */
    value: z.object({ type: RegistryTypeName, bytes: z.base64().max(MAX_REGISTRY_BYTES * 2) }).nullable(),
  }),
  /** Writes a text file on machines whose paths look like this one. */
  z.object({
    type: z.literal('file'),
    path: FilePath,
    text: z.string().max(MAX_TEXT_BYTES),
    ...FileRights,
  }),
  /** Copies an uploaded file to machines whose paths look like this one. */
  z.object({
    type: z.literal('push_file'),
    file: Id,
    path: FilePath,
    ...FileRights,
    /** False = a file with other content stays. */
    overwrite: z.boolean().default(true),
    timeout: z.int().min(60).max(86_400).default(1800),
  }),
  /** Restores what a job has changed on each of its machines. Only its undo plan has this action. */
  z.object({ type: z.literal('undo'), job: Id }),
])
export type JobAction = z.infer<typeof JobAction>

/** `type` of all actions. */
export const JobActionType = z.enum(JobAction.options.map(({ shape }) => shape.type.value))
export type JobActionType = z.infer<typeof JobActionType>

export const JobSchedule = z.object({
  start: z
    .discriminatedUnion('at', [
      z.object({ at: z.literal('now') }),
      z.object({ at: z.literal('time'), time: Instant }),
      /** By the clock of each machine: `2026-11-26T02:00`. */
      z.object({ at: z.literal('machine_time'), time: z.iso.datetime({ local: true, offset: false }) }),
    ])
    .prefault({ at: 'now' }),
  /** A machine starts only while a maintenance window that covers it is open. */
  in_windows: z.boolean().default(false),
  /** `keep`: offline machines run when they return, until the job expires. `skip`: they are skipped in the plan. */
  offline: z.enum(['keep', 'skip']).default('keep'),
  /** Hours from the start (the last one, by the clock of each machine), after which machines that have not run are skipped. */
  expires_hours: z
    .int()
    .min(1)
    .max(24 * 30)
    .default(48),
})
export type JobSchedule = z.infer<typeof JobSchedule>

/** How often a job repeats. Each time is planned again and is a job of its own. */
export const JobRepeat = z.object({
  /** Minute, hour, day of the month, month, day of the week; at most once an hour. */
  cron: z.string().trim().min(1, 'Enter a cron expression.').max(200),
  /** `machine`: each machine starts at this time of its own clock. */
  clock: z.enum(['server', 'machine']).default('server'),
})
export type JobRepeat = z.infer<typeof JobRepeat>

const Count = z.int().min(1).max(100_000)
const Percent = z.int().min(1).max(100)

export const JobRollout = z.object({
  /** The first waves; the rest of the machines forms the last one. Empty = all machines in one wave. */
  waves: z
    .array(z.union([z.object({ count: Count }), z.object({ percent: Percent })]))
    .max(20)
    .default([]),
  /** Between the end of a wave and the start of the next. */
  pause_minutes: z.int().min(0).max(10_080).default(0),
  /** How long the machines of a wave are watched after its end before the conditions are decided. */
  watch_minutes: z.int().min(0).max(10_080).default(0),
  /** Conditions of the gate after each wave. A closed gate halts the job. */
  conditions: z
    .object({
      success_percent: z.int().min(0).max(100).default(0),
      /** No alert has opened on the machines of the wave since it started. */
      no_new_alerts: z.boolean().default(false),
      /** The name of a check that must pass on each machine of the wave that has it. */
      check: z.string().trim().min(1).max(255).nullable().default(null),
    })
    .prefault({}),
  halt: z
    .object({
      /** Halts at this many failures of the job; null = never. */
      failures: Count.nullable().default(null),
      /** Halts when this percentage of the current wave has failed; null = never. */
      percent: Percent.nullable().default(null),
    })
    .prefault({}),
  max_at_once: Count.nullable().default(null),
  max_per_minute: Count.nullable().default(null),
  max_per_site: Count.nullable().default(null),
})
export type JobRollout = z.infer<typeof JobRollout>

export const JobDraft = z.object({
  name: z.string().trim().max(255).default(''),
  target: JobTarget,
  /** Narrow the target; null = any. */
  monitoring_type: MonitoringType.nullable().default(null),
  plat: Platform.nullable().default(null),
  action: JobAction,
  schedule: JobSchedule.prefault({}),
  rollout: JobRollout.prefault({}),
  /** A script that reverts the action, for undo. */
  rollback: z
    .object({ script: Id, args: z.array(z.string().max(10_000)).max(200).optional() })
    .nullable()
    .default(null),
})
export type JobDraft = z.infer<typeof JobDraft>
