import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, Id, IdParams, Instant, Severity } from '../fields.ts'

export const AlertType = z.enum(['availability', 'check', 'task', 'custom'])
export type AlertType = z.infer<typeof AlertType>
export const AlertState = z.enum(['open', 'acknowledged', 'snoozed', 'resolved'])
export type AlertState = z.infer<typeof AlertState>
/** Part of the alerts. `open`: acknowledged and snoozed ones too, but no held ones, which are `suppressed`. */
export const AlertPart = z.enum(['open', 'acknowledged', 'snoozed', 'suppressed', 'resolved', 'all'])
export type AlertPart = z.infer<typeof AlertPart>
/** Why an alert is held: no notifications, and not counted by the bell. */
export const AlertHold = z.enum(['maintenance', 'machine_down', 'site_down', 'dependency', 'flapping'])
export type AlertHold = z.infer<typeof AlertHold>

/** One problem, from its start to its end. */
export const Alert = z.object({
  id: z.int(),
  alert_type: AlertType,
  state: AlertState,
  severity: Severity,
  message: z.string(),
  /** Null for an alert of a whole site, or without a known machine. */
  agent_id: AgentId.nullable(),
  /** Empty without a machine. */
  hostname: z.string(),
  client_id: z.int().nullable(),
  client: z.string(),
  site_id: z.int().nullable(),
  site: z.string(),
  check_id: z.int().nullable(),
  /** When it happened, which may be long before it was reported. */
  alert_time: Instant,
  snooze_until: Instant.nullable(),
  /** Empty = nobody. */
  acknowledged_by: z.string(),
  acknowledged_on: Instant.nullable(),
  resolved_on: Instant.nullable(),
  /** Empty = resolved automatically. */
  resolved_by: z.string(),
  hold: AlertHold.nullable(),
  /** The same problem came and went so often that it is notified only once. */
  flapping: z.boolean(),
})
export type Alert = z.infer<typeof Alert>

export const AlertLogKind = z.enum([
  'opened',
  'severity_changed',
  'held',
  'released',
  'acknowledged',
  'unacknowledged',
  'snoozed',
  'unsnoozed',
  'noted',
  'flapping',
  'resolved',
  'notice_sent',
  'notice_held',
  'notice_failed',
  'escalated',
  'action_started',
  'action_done',
  'action_failed',
  'action_called_off',
])
export type AlertLogKind = z.infer<typeof AlertLogKind>
export const AlertLogEntry = z.object({
  id: z.int(),
  at: Instant,
  kind: AlertLogKind,
  /** Empty = the server. */
  by: z.string(),
  text: z.string(),
})
export type AlertLogEntry = z.infer<typeof AlertLogEntry>

/** An action of a template when the alert opened or was resolved. */
export const AlertActionRun = z.object({
  kind: z.enum(['failure', 'resolved']),
  template: z.string(),
  /** Name of the script, or the address of the webhook. */
  name: z.string(),
  /** `called_off`: cancelled, because the alert resolved first. */
  state: z.enum(['waiting', 'running', 'done', 'failed', 'called_off']),
  created: Instant,
  ended: Instant.nullable(),
  /** Exit code of the script, or HTTP status. */
  retcode: z.int().nullable(),
  /** Seconds. */
  execution_time: z.number().nullable(),
  /** The start of its output, or why it failed. */
  output: z.string(),
  /** Row in the history of the machine; null for a webhook, and before it was sent. */
  history_id: z.int().nullable(),
})
export type AlertActionRun = z.infer<typeof AlertActionRun>

/** How far the escalation chain of an alert has come. */
export const AlertEscalation = z.object({
  chain: z.string(),
  /** `stopped`: acknowledged, snoozed, suppressed or resolved. */
  state: z.enum(['running', 'stopped', 'done']),
  /** The next notification; null = none. */
  next: z
    .object({
      at: Instant,
      /** From 1. */
      step: z.int(),
      /** Names of users and channels. Who is on call may change until then. */
      recipients: z.array(z.string()),
    })
    .nullable(),
})
export type AlertEscalation = z.infer<typeof AlertEscalation>

const note = z.string().trim().max(4000)
const snooze = {
  /** 1 to 9998; `snooze_until` is exact. A snooze needs one of the two. */
  snooze_days: z.int().min(1).max(9998).optional(),
  snooze_until: Instant.optional(),
}
export const AlertAction = z.enum(['acknowledge', 'unacknowledge', 'snooze', 'unsnooze', 'resolve'])
export type AlertAction = z.infer<typeof AlertAction>

const filterFields = {
  clientFilter: z.array(Id).max(1000).optional(),
  siteFilter: z.array(Id).max(1000).optional(),
  agentFilter: z.array(AgentId).max(1000).optional(),
  severityFilter: z.array(Severity).optional(),
  typeFilter: z.array(AlertType).optional(),
  search: z.string().max(500).optional(),
}
/** Days back; absent = all. Unresolved alerts are always included. */
const timeFilter = z.int().min(1).max(3650).optional()
/** Which alerts are meant. Open and acknowledged ones always are, unless `stateFilter` names a part. */
const AlertFilter = z.object({
  ...filterFields,
  /** Only this part, whatever the fields below say. */
  stateFilter: AlertPart.optional(),
  /** Includes snoozed alerts; excluded by default, like held ones. */
  snoozedFilter: z.boolean().optional(),
  heldFilter: z.boolean().optional(),
})
/** The key of an `AlertCause`. */
const CauseKey = z.string().min(1).max(400)
/** Alerts of one cause in one request; the newest if there are more. */
export const MAX_ALERTS_OF_CAUSE = 5000

export const listAlerts = endpoint({
  method: 'PATCH',
  path: '/alerts/',
  access: 'can_list_alerts',
  withLowDisk: true,
  summary:
    'List alerts, most severe and newest first: `top` for the bell (open ones that are not held), otherwise by filters',
  body: AlertFilter.extend({
    top: z.int().min(1).max(100).optional(),
    timeFilter,
    /** Includes resolved alerts; excluded by default. */
    resolvedFilter: z.boolean().optional(),
    /** Only unresolved alerts of this cause. */
    cause: CauseKey.optional(),
    page: z.int().min(1).optional(),
    page_size: z.int().min(1).max(1000).optional(),
  }),
  response: z.object({
    /** Total of all pages. */
    alerts_count: z.int(),
    /** The highest severity of all; null without alerts. */
    worst: Severity.nullable(),
    alerts: z.array(Alert),
  }),
})

/** The same check, task or message on any number of machines, with one severity. */
export const AlertCause = z.object({
  /** Stays the same while the name and the severity do. */
  key: CauseKey,
  kind: z.enum(['overdue', 'site_down', 'check', 'task', 'custom']),
  /** Name of the check or task, or the message. */
  name: z.string(),
  severity: Severity,
  alerts: z.int().min(1),
  /** 0 = its alerts have no machine. */
  machines: z.int().min(0),
  servers: z.int().min(0),
  /** The machine, if there is only one. */
  hostname: z.string(),
  /** The clients with the most of its alerts, at most two. */
  clients: z.array(z.object({ name: z.string(), alerts: z.int() })),
  more_clients: z.int().min(0),
  /** When its oldest alert opened. */
  since: Instant,
  /** When its newest alert opened. */
  newest: Instant,
  acknowledged: z.int().min(0),
  /** Empty = nobody, or several users. */
  acknowledged_by: z.string(),
  snoozed: z.int().min(0),
  /** The end of the last snooze. */
  snooze_until: Instant.nullable(),
  /** When the next planned notification is sent; null = none is planned. */
  next_notice: Instant.nullable(),
})
export type AlertCause = z.infer<typeof AlertCause>

export const listAlertCauses = endpoint({
  method: 'PATCH',
  path: '/alerts/causes/',
  access: 'can_list_alerts',
  withLowDisk: true,
  summary: 'List the causes of unresolved alerts, worst first: overdue, error, warning, then by machines',
  body: AlertFilter,
  response: z.object({
    /** Total of all causes. */
    alerts: z.int().min(0),
    total: z.int().min(0),
    /** The first 200. */
    causes: z.array(AlertCause),
  }),
})

export const countAlerts = endpoint({
  method: 'PATCH',
  path: '/alerts/counts/',
  access: 'can_list_alerts',
  withLowDisk: true,
  summary: 'Count the alerts that match a filter, by part',
  body: z.object({ ...filterFields, timeFilter }),
  response: z.record(AlertPart, z.int().min(0)),
})

export const createAlert = endpoint({
  method: 'POST',
  path: '/alerts/',
  access: 'can_manage_alerts',
  summary: 'Raise a custom alert for a machine, a site or neither',
  body: z.object({
    message: z.string().trim().min(1, 'A message is needed.').max(4000),
    severity: Severity,
    agent: AgentId.optional(),
    site: Id.optional(),
    /** An open alert with this key is updated instead of creating another one. */
    key: z.string().trim().min(1).max(200).optional(),
  }),
  response: Alert,
})

export const getAlert = endpoint({
  method: 'GET',
  path: '/alerts/:id/',
  access: 'can_list_alerts',
  summary: 'Get one alert with its log, oldest first',
  params: IdParams,
  response: Alert.extend({
    /** The key of its cause; null for a resolved alert. */
    cause: CauseKey.nullable(),
    /** When the next planned notification is sent; null = none is planned. */
    next_notice: Instant.nullable(),
    log: z.array(AlertLogEntry),
    actions: z.array(AlertActionRun),
    /** Null without an escalation chain. */
    escalation: AlertEscalation.nullable(),
  }),
})

/** An action after which earlier alerts of the same check resolved by themselves within an hour. */
export const AlertSuggestion = z.object({
  kind: z.enum(['script', 'service', 'reboot', 'task']),
  /** Empty for a reboot. */
  name: z.string(),
  /** Null if it is no script, or was deleted. */
  script_id: z.int().nullable(),
  /** The newest first, at most three. */
  resolved: z.array(
    z.object({
      alert_id: z.int(),
      hostname: z.string(),
      at: Instant,
      /** From the action to the end of the alert. */
      minutes: z.int().min(0),
      /** The first number of the check before and after; null where it was not measured then. */
      effect: z
        .object({ name: z.string(), unit: z.string(), before: z.number(), after: z.number() })
        .nullable(),
    }),
  ),
})
export type AlertSuggestion = z.infer<typeof AlertSuggestion>

export const getAlertSuggestion = endpoint({
  method: 'GET',
  path: '/alerts/:id/suggestion/',
  access: 'can_list_alerts',
  summary: 'Get the action that resolved earlier alerts of the same check; null without one',
  params: IdParams,
  response: z.object({ suggestion: AlertSuggestion.nullable() }),
})

export const changeAlert = endpoint({
  method: 'PUT',
  path: '/alerts/:id/',
  access: 'can_manage_alerts',
  summary: 'Acknowledge, snooze or resolve an alert, or undo that',
  params: IdParams,
  body: z.object({ type: AlertAction, note: note.optional(), ...snooze }),
  response: Alert,
})

export const noteAlert = endpoint({
  method: 'POST',
  path: '/alerts/:id/notes/',
  access: 'can_manage_alerts',
  summary: 'Add a note to the log of an alert',
  params: IdParams,
  body: z.object({ note: note.min(1, 'A note is needed.') }),
  response: AlertLogEntry,
})

export const changeAlerts = endpoint({
  method: 'POST',
  path: '/alerts/bulk/',
  access: 'can_manage_alerts',
  summary: 'Do the same for many alerts, or for all of a cause; those in another state are skipped',
  body: z
    .object({
      bulk_action: AlertAction,
      alerts: z.array(Id).min(1).max(5000).optional(),
      /** Instead of `alerts`: all unresolved alerts of this cause that match the filter. */
      group: AlertFilter.extend({ cause: CauseKey }).optional(),
      note: note.optional(),
      ...snooze,
    })
    .refine(({ alerts, group }) => (alerts === undefined) !== (group === undefined), {
      error: 'Name alerts or a cause.',
      path: ['alerts'],
    }),
  response: z.object({ changed: z.int() }),
})
