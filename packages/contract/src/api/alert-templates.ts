import { TEMPLATE_SOURCES } from '@muster/rules/alerts/alert-template'
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, Email, Id, IdParams, Instant, Nothing, Severity } from '../fields.ts'
import { channelFields } from './alert-channels.ts'
import { ServerApproval } from './scripts.ts'
import { AlertHold, AlertType } from './alerts.ts'

/** true = always, false = never, null = as configured at the channel and the machine. */
const Always = z.boolean().nullable().default(null)
/** Empty = all. */
const Severities = z.array(Severity).max(3).default([])
/** Repeated after this many minutes; 0 = never, null = as in the channel. */
const Repeat = z.int().min(0).max(525_600).nullable().default(null)
const Actions = z.boolean().default(true)

const Args = z.array(z.string().max(10_000)).max(200).default([])
const EnvVars = z
  .array(
    z
      .string()
      .max(10_000)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*=/, 'Write NAME=value.'),
  )
  .max(200)
  .default([])
const Timeout = z.int().min(1, 'At least one second.').max(86_400).default(30)
/** `script` runs on the machine of the alert, `server` on the server if that is enabled; null = none. */
const ActionType = z.enum(['script', 'server', 'rest']).nullable().default(null)
const Script = Id.nullable().default(null)
/** Signed and filled in like a channel's webhook. */
const Rest = channelFields.webhook.nullable().default(null)

const PhoneNumber = z.string().regex(/^\+[1-9]\d{5,14}$/, 'A number as +41791234567.')

/** Content of a template. The default of every field changes nothing. */
const fields = {
  name: z.string().trim().min(1, 'A name is needed.').max(100),
  is_active: z.boolean().default(true),
  /** Empty = those of the channel. */
  email_recipients: z.array(Email).max(50).default([]),
  text_recipients: z.array(PhoneNumber).max(50).default([]),

  /** Notifies one after the other while an alert is open; null = none. */
  escalation_chain: Id.nullable().default(null),
  /** Alerts that it runs for. */
  escalation_severities: Severities,

  action_type: ActionType,
  action: Script,
  action_rest: Rest,
  action_args: Args,
  action_env_vars: EnvVars,
  action_timeout: Timeout,
  action_run_as_user: z.boolean().default(false),
  resolved_action_type: ActionType,
  resolved_action: Script,
  resolved_action_rest: Rest,
  resolved_action_args: Args,
  resolved_action_env_vars: EnvVars,
  resolved_action_timeout: Timeout,
  resolved_action_run_as_user: z.boolean().default(false),

  agent_always_email: Always,
  agent_always_text: Always,
  agent_always_alert: Always,
  agent_email_on_resolved: Always,
  agent_text_on_resolved: Always,
  agent_periodic_alert_minutes: Repeat,
  agent_script_actions: Actions,

  check_always_email: Always,
  check_always_text: Always,
  check_always_alert: Always,
  check_email_on_resolved: Always,
  check_text_on_resolved: Always,
  check_email_alert_severity: Severities,
  check_text_alert_severity: Severities,
  check_dashboard_alert_severity: Severities,
  check_periodic_alert_minutes: Repeat,
  check_script_actions: Actions,

  task_always_email: Always,
  task_always_text: Always,
  task_always_alert: Always,
  task_email_on_resolved: Always,
  task_text_on_resolved: Always,
  task_email_alert_severity: Severities,
  task_text_alert_severity: Severities,
  task_dashboard_alert_severity: Severities,
  task_periodic_alert_minutes: Repeat,
  task_script_actions: Actions,

  /** Custom alerts, created with `POST /alerts/`. */
  custom_always_email: Always,
  custom_always_text: Always,
  custom_always_alert: Always,
  custom_email_on_resolved: Always,
  custom_text_on_resolved: Always,
  custom_email_alert_severity: Severities,
  custom_text_alert_severity: Severities,
  custom_dashboard_alert_severity: Severities,
  custom_periodic_alert_minutes: Repeat,
  custom_script_actions: Actions,

  exclude_workstations: z.boolean().default(false),
  exclude_servers: z.boolean().default(false),
  excluded_sites: z.array(Id).max(1000).default([]),
  excluded_clients: z.array(Id).max(1000).default([]),
  excluded_agents: z.array(AgentId).max(1000).default([]),
}

const DAYS = /^(agent|check|task)_periodic_alert_days$/
const MINUTES_PER_DAY = 1440

/** A body that also accepts the repeat interval in days: `check_periodic_alert_days`. */
function alsoInDays<Schema extends z.ZodObject>(
  schema: Schema,
): z.ZodType<z.output<Schema>, z.input<Schema>> {
  const inMinutes = (body: unknown) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
    const entries = Object.entries(body).map(([name, value]: [string, unknown]) => {
      const minutes = name.replace('_days', '_minutes')
      if (!DAYS.test(name) || minutes in body) return [name, value]
      return [minutes, typeof value === 'number' ? value * MINUTES_PER_DAY : value]
    })
    return Object.fromEntries(entries) as unknown
  }
  // The schema itself is what is documented; days are for other programs.
  return z.preprocess(inMinutes, schema) as unknown as z.ZodType<z.output<Schema>, z.input<Schema>>
}

/** A complete new template, with defaults for missing fields. */
export const AlertTemplateForm = z.object(fields)
export type AlertTemplateForm = z.infer<typeof AlertTemplateForm>

/** Recipients saved before addresses were validated stay readable. */
export const StoredTemplateForm = AlertTemplateForm.extend({ email_recipients: z.array(z.string()) })

export const AlertTemplate = StoredTemplateForm.extend({
  id: z.int(),
  /** Names of the scripts, or addresses of the webhooks; empty without an action. */
  action_name: z.string(),
  resolved_action_name: z.string(),
  /** For a script on the server: `waiting` does not run until a user approves the changed script. */
  action_approval: ServerApproval.nullable(),
  resolved_action_approval: ServerApproval.nullable(),
  default_template: z.boolean(),
  /** Policies, clients, sites and machines that it is assigned to and that the caller may see. */
  applied_count: z.int(),
  modified: z.string(),
})
export type AlertTemplate = z.infer<typeof AlertTemplate>

export const listAlertTemplates = endpoint({
  method: 'GET',
  path: '/alerts/templates/',
  access: 'can_list_alerttemplates',
  summary: 'Alert templates by name; secrets of their webhooks are shown as ********',
  response: z.array(AlertTemplate),
})

export const createAlertTemplate = endpoint({
  method: 'POST',
  path: '/alerts/templates/',
  access: 'can_manage_alerttemplates',
  summary: 'Add an alert template',
  body: alsoInDays(AlertTemplateForm),
  response: AlertTemplate,
})

export const getAlertTemplate = endpoint({
  method: 'GET',
  path: '/alerts/templates/:id/',
  access: 'can_list_alerttemplates',
  summary: 'One alert template',
  params: IdParams,
  response: AlertTemplate,
})

/** Without the defaults of a new template: missing fields stay unchanged. */
const changes = Object.fromEntries(
  Object.entries(fields).map(([name, field]) => [
    name,
    (field instanceof z.ZodDefault ? field.unwrap() : field).optional(),
  ]),
  // The same fields, each of them optional.
) as unknown as { [Name in keyof typeof fields]: z.ZodOptional<z.ZodType<AlertTemplateForm[Name]>> }

export const editAlertTemplate = endpoint({
  method: 'PUT',
  path: '/alerts/templates/:id/',
  access: 'can_manage_alerttemplates',
  summary:
    'Change some fields of an alert template; secrets sent as ******** are unchanged. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: alsoInDays(z.object({ ...changes, modified: z.string().optional() })),
  volatile: ['applied_count', 'action_name', 'resolved_action_name'],
  response: AlertTemplate,
})

export const deleteAlertTemplate = endpoint({
  method: 'DELETE',
  path: '/alerts/templates/:id/',
  access: 'can_manage_alerttemplates',
  summary: 'Delete an alert template and its assignments; running actions continue',
  params: IdParams,
  response: Nothing,
})

export const getRelatedToTemplate = endpoint({
  method: 'GET',
  path: '/alerts/templates/:id/related/',
  access: 'can_list_alerttemplates',
  summary: 'List the assignments of an alert template that the caller may see',
  params: IdParams,
  response: z.object({
    default_template: z.boolean(),
    policies: z.array(z.object({ id: z.int(), name: z.string() })),
    clients: z.array(z.object({ id: z.int(), name: z.string() })),
    sites: z.array(z.object({ id: z.int(), name: z.string(), client_name: z.string() })),
    agents: z.array(z.object({ agent_id: AgentId, hostname: z.string(), site_name: z.string() })),
  }),
})

export const setDefaultTemplate = endpoint({
  method: 'PUT',
  path: '/alerts/templates/default/',
  access: 'can_manage_alerttemplates',
  summary: 'Set the default alert template; null = none',
  body: z.object({ alert_template: Id.nullable() }),
  response: z.object({ alert_template: z.int().nullable() }),
})

export const TemplateSource = z.enum(TEMPLATE_SOURCES)

export const previewAlertTemplate = endpoint({
  method: 'GET',
  path: '/alerts/templates/preview/',
  access: 'can_list_alerttemplates',
  summary: 'Preview who would be notified of an alert of a machine right now, and which actions would run',
  query: z.object({ agent: AgentId, alert_type: AlertType, severity: Severity }),
  response: z.object({
    agent_id: AgentId,
    hostname: z.string(),
    /** The effective template; null = none. */
    template: z.object({ id: z.int(), name: z.string() }).nullable(),
    /** Assigned templates, from the machine outwards, with the decision about each. */
    chain: z.array(
      z.object({
        source: TemplateSource,
        /** Name of the machine, site, client or policy; empty for the default. */
        at: z.string(),
        /** The policy that assigns it; null = assigned directly. */
        policy: z.int().nullable(),
        id: z.int(),
        name: z.string(),
        outcome: z.enum(['applies', 'overruled', 'inactive', 'excluded']),
      }),
    ),
    /** Why no user would be notified right now, whatever the other fields say. */
    hold: AlertHold.nullable(),
    /** Whether such an alert opens at all: machines without availability alerts are never reported as overdue. */
    opens: z.boolean(),
    bell: z.boolean(),
    channels: z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        kind: z.string(),
        told: z.boolean(),
        /** Why, or why not. */
        reason: z.string(),
        /** The end of the quiet hours; null = at once. */
        at: Instant.nullable(),
        recipients: z.array(z.string()),
        on_resolved: z.boolean(),
        repeat_minutes: z.int(),
      }),
    ),
    /** The escalation chain that would start; null = none. */
    escalation: z
      .object({
        chain: z.string(),
        /** The recipients include the users on call at that time. */
        steps: z.array(z.object({ after_minutes: z.int().min(0), recipients: z.array(z.string()) })),
        /** The last step is repeated; 0 = never. */
        repeat_minutes: z.int().min(0),
        repeat_times: z.int().min(0),
      })
      .nullable(),
    /** The actions that would run, as a sentence; null = nothing. */
    failure_action: z.string().nullable(),
    resolved_action: z.string().nullable(),
  }),
})
