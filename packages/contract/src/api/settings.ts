import { MOST_DAYS } from '@muster/rules/schedules/retention'
import { whyNoVncTarget } from '@muster/rules/remote/vnc-targets'
import { z } from 'zod'
import { MetricsInterval } from '../agent/metrics.ts'
import { endpoint } from '../endpoint.ts'
import { CompanyName, Id } from '../fields.ts'
import { RecordedMachines } from './remote-access.ts'

const Days = z
  .int('A number of whole days.')
  .min(1, 'At least one day.')
  .max(MOST_DAYS, `At most ${MOST_DAYS} days.`)

/** How long what checks and machines measure is kept, in days. */
const Retention = {
  /** Every sample. */
  check_history_prune_days: Days,
  /** Least, mean and most of every five minutes. */
  check_history_5min_prune_days: Days,
  /** The same of every hour. */
  check_history_hourly_prune_days: Days,
}

const DaysOrForever = z
  .int('A number of whole days.')
  .min(0, 'Not negative. 0 keeps records forever.')
  .max(MOST_DAYS, `At most ${MOST_DAYS} days.`)

/** Days that records are kept; 0 keeps them forever. Open runs and open alerts are never deleted. */
const RecordRetention = {
  /** Commands and scripts that were run, with their output, counted from their end. */
  agent_history_prune_days: DaysOrForever,
  /** Resolved alerts with their log and notifications, counted from their resolution. */
  resolved_alerts_prune_days: DaysOrForever,
  audit_log_prune_days: DaysOrForever,
}

const Measuring = {
  /** Seconds from one look of each machine at itself to the next: processor, memory, disks, network. */
  metrics_interval: MetricsInterval,
}

const Recordings = {
  /** Of which machines terminals are recorded where no client, site or machine says something else. */
  record_terminals: RecordedMachines,
  recording_keep_days: Days,
  /** Of what one window on a terminal shows, before it is compressed; the recording ends there, the terminal does not. */
  recording_max_mb: z
    .int('A number of whole megabytes.')
    .min(1, 'At least 1 MB.')
    .max(1000, 'At most 1000 MB.'),
  /** The same of a desktop, whose pictures are compressed already. */
  desktop_recording_max_mb: z
    .int('A number of whole megabytes.')
    .min(1, 'At least 1 MB.')
    .max(2000, 'At most 2000 MB.'),
}

const Vnc = {
  /** What VNC may be opened to from machines: `host:port` or `host:from-to`; see packages/rules, vnc-targets. */
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

/** Whether an alert opens when a machine is overdue, where neither a policy nor the machine says otherwise. */
const Availability = {
  availability_alerts_servers: z.boolean(),
  availability_alerts_workstations: z.boolean(),
  /** Superusers have answered whether servers shall alert; false only after an update from before there was a default. */
  availability_alerts_asked: z.boolean(),
}

/** What counts for machines to which no client, site or machine of their own gives another one. */
const Defaults = {
  /** The first policy of all servers, and of all workstations. Changing it needs `can_manage_automation_policies`. */
  server_policy: Id.nullable(),
  workstation_policy: Id.nullable(),
  /** Changing it needs `can_manage_alerttemplates`. */
  alert_template: Id.nullable(),
}

/** Only a superuser may change these. */
const Switches = {
  /** Alert templates may run scripts on the server itself, as the user that it runs as. */
  enable_server_scripts: z.boolean(),
  /** Superusers may open a shell of the server itself in the console. */
  enable_server_webterminal: z.boolean(),
  /** Only superusers may sign in with a password. */
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
  ...Switches,
  /** Changes with every save. */
  modified: z.string(),
})
export type CoreSettings = z.infer<typeof CoreSettings>

export const getCoreSettings = endpoint({
  method: 'GET',
  path: '/core/settings/',
  access: 'can_view_core_settings',
  summary: 'Settings of the whole server',
  response: CoreSettings,
})

export const editCoreSettings = endpoint({
  method: 'PUT',
  path: '/core/settings/',
  access: 'can_edit_core_settings',
  summary:
    'Change settings of the whole server; those that are left out stay. With `modified`, refused when somebody else saved since',
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
      ...Switches,
    })
    .partial()
    .extend({ modified: z.string().optional() }),
  volatile: [],
  response: CoreSettings,
})
