import { MAX_DAYS } from '@muster/rules/schedules/retention'
import { whyNoVncTarget } from '@muster/rules/remote/vnc-targets'
import { z } from 'zod'
import { MetricsInterval } from '../agent/metrics.ts'
import { endpoint } from '../endpoint.ts'
import { CompanyName, Id } from '../fields.ts'
import { RecordedMachines } from './remote-access.ts'
import { MIN_PASSWORD_CHARACTERS } from './sessions.ts'

const Days = z
  .int('A number of whole days.')
  .min(1, 'At least one day.')
  .max(MAX_DAYS, `At most ${MAX_DAYS} days.`)

/** How many days measurements of checks and machines are stored. */
const Retention = {
  /** Raw samples. */
  check_history_prune_days: Days,
  /** Minimum, average and maximum of every five minutes. */
  check_history_5min_prune_days: Days,
  /** The same per hour. */
  check_history_hourly_prune_days: Days,
}

const DaysOrForever = z
  .int('A number of whole days.')
  .min(0, 'Not negative. 0 keeps records forever.')
  .max(MAX_DAYS, `At most ${MAX_DAYS} days.`)

/** Days that records are kept; 0 keeps them forever. Open runs and open alerts are never deleted. */
const RecordRetention = {
  /** Commands and scripts with their output, counted from their end. */
  agent_history_prune_days: DaysOrForever,
  /** Resolved alerts with their log and notifications, counted from their resolution. */
  resolved_alerts_prune_days: DaysOrForever,
  audit_log_prune_days: DaysOrForever,
}

const Measuring = {
  /** Seconds between metrics samples of each machine: processor, memory, disks, network. */
  metrics_interval: MetricsInterval,
}

const Recordings = {
  /** Which machines record terminals by default. */
  record_terminals: RecordedMachines,
  recording_keep_days: Days,
  /** Size limit of one terminal recording before compression. The recording ends there, the terminal continues. */
  recording_max_mb: z
    .int('A number of whole megabytes.')
    .min(1, 'At least 1 MB.')
    .max(1000, 'At most 1000 MB.'),
  /** The same for a desktop, whose images are already compressed. */
  desktop_recording_max_mb: z
    .int('A number of whole megabytes.')
    .min(1, 'At least 1 MB.')
    .max(2000, 'At most 2000 MB.'),
}

const Vnc = {
  /** Allowed VNC targets: `host:port` or `host:from-to`; see packages/rules, vnc-targets. */
  vnc_targets: z
    .array(
      z
        .string()
        .trim()
        .max(300)
        .superRefine((line, context) => {
          const wrong = whyNoVncTarget(line)
          if (wrong !== undefined) context.addIssue(wrong)
        }),
    )
    .max(200),
}

const Company = {
  companyname: CompanyName,
}

/** Whether an overdue machine raises an alert, if neither a policy nor the machine sets it. */
const Availability = {
  availability_alerts_servers: z.boolean(),
  availability_alerts_workstations: z.boolean(),
  /**
   * Superusers have decided whether servers raise alerts; false only after an update from a version without this
   * default.
   */
  availability_alerts_asked: z.boolean(),
}

/** Defaults for machines without their own settings and without ones of their client or site. */
const Defaults = {
  /**
   * The first policy of all servers, and of all workstations. Changing it requires `can_manage_automation_policies`.
   */
  server_policy: Id.nullable(),
  workstation_policy: Id.nullable(),
  /** Changing it requires `can_manage_alerttemplates`. */
  alert_template: Id.nullable(),
}

/** Characters that a new password has at least. Existing passwords stay valid. */
export const PasswordMinLength = z
  .int('A number of whole characters.')
  .min(MIN_PASSWORD_CHARACTERS, `At least ${MIN_PASSWORD_CHARACTERS} characters.`)
  .max(64, 'At most 64 characters.')

const Passwords = {
  password_min_length: PasswordMinLength,
}

/** Only a superuser may change these. */
const Switches = {
  /** Alert templates may run scripts on the server itself, as the server's own user. */
  enable_server_scripts: z.boolean(),
  /** Superusers may open a shell of the server itself in the console. */
  enable_server_webterminal: z.boolean(),
  /** The sign-in page offers the sign-in providers. Off, nobody signs in with one. */
  sso_enabled: z.boolean(),
  /** Only superusers may sign in with a password. Turned off together with `sso_enabled`. */
  block_local_user_logon: z.boolean(),
}

export const CoreSettings = z.object({
  ...Retention,
  ...RecordRetention,
  ...Measuring,
  ...Recordings,
  ...Vnc,
  ...Availability,
  ...Company,
  ...Defaults,
  ...Passwords,
  ...Switches,
  /** Changes with every save. */
  modified: z.string(),
})
export type CoreSettings = z.infer<typeof CoreSettings>

export const getCoreSettings = endpoint({
  method: 'GET',
  path: '/core/settings/',
  access: 'can_view_core_settings',
  summary: 'Get the settings of the server',
  response: CoreSettings,
})

export const editCoreSettings = endpoint({
  method: 'PUT',
  path: '/core/settings/',
  access: 'can_edit_core_settings',
  needsProof: true,
  withLowDisk: true,
  summary:
    'Change settings of the server; missing ones stay unchanged. With `modified`, refused if another user has saved since',
  body: z
    .object({
      ...Retention,
      ...RecordRetention,
      ...Measuring,
      ...Recordings,
      ...Vnc,
      ...Availability,
      ...Company,
      ...Defaults,
      ...Passwords,
      ...Switches,
    })
    .partial()
    .extend({ modified: z.string().optional() }),
  volatile: [],
  response: CoreSettings,
})
