import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, Id, IdParams, Instant, Severity } from '../fields.ts'

export const AlertType = z.enum(['availability', 'check', 'task', 'custom'])
export type AlertType = z.infer<typeof AlertType>
export const AlertState = z.enum(['open', 'acknowledged', 'snoozed', 'resolved'])
export type AlertState = z.infer<typeof AlertState>
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

const note = z.string().trim().max(4000)
const snooze = {
  /** 1 to 9998; `snooze_until` is exact. A snooze needs one of the two. */
  snooze_days: z.int().min(1).max(9998).optional(),
  snooze_until: Instant.optional(),
}
export const AlertAction = z.enum(['acknowledge', 'unacknowledge', 'snooze', 'unsnooze', 'resolve'])
export type AlertAction = z.infer<typeof AlertAction>

export const listAlerts = endpoint({
  method: 'PATCH',
  path: '/alerts/',
  access: 'can_list_alerts',
  summary:
    'List alerts, most severe and newest first: `top` for the bell (open ones that are not held), otherwise by filters',
  body: z.object({
    top: z.int().min(1).max(100).optional(),
    /** Days back; absent = all. Unresolved alerts are always included. */
    timeFilter: z.int().min(1).max(3650).optional(),
    clientFilter: z.array(Id).max(1000).optional(),
    siteFilter: z.array(Id).max(1000).optional(),
    agentFilter: z.array(AgentId).max(1000).optional(),
    severityFilter: z.array(Severity).optional(),
    typeFilter: z.array(AlertType).optional(),
    /** Includes resolved alerts; excluded by default, like the next two. */
    resolvedFilter: z.boolean().optional(),
    snoozedFilter: z.boolean().optional(),
    heldFilter: z.boolean().optional(),
    search: z.string().max(500).optional(),
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
  response: Alert.extend({ log: z.array(AlertLogEntry), actions: z.array(AlertActionRun) }),
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
  summary: 'Do the same for many alerts; those in another state are skipped',
  body: z.object({
    bulk_action: AlertAction,
    alerts: z.array(Id).min(1).max(5000),
    note: note.optional(),
    ...snooze,
  }),
  response: z.object({ changed: z.int() }),
})
