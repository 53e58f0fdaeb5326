import {
  type AlertTemplate,
  AlertTemplateForm,
  createAlertTemplate,
  setDefaultTemplate,
} from '@muster/contract/api/alert-templates'
import { Email } from '@muster/contract/fields'
import { clientKey, siteKey, templateKey } from './plan-clients.ts'
import { ENV_VAR, scriptKey } from './plan-scripts.ts'
import { type IdOf, matchByName, type Planner } from './steps.ts'
import type { OldTemplate } from './tactical.ts'

type Severity = 'info' | 'warning' | 'error'

const MINUTES_PER_DAY = 1440
const Phones = AlertTemplateForm.shape.text_recipients

export function planTemplates(
  planner: Planner,
  olds: readonly OldTemplate[],
  present: readonly AlertTemplate[],
): void {
  matchByName(planner, olds, present, {
    kind: 'alert template',
    keyOf: ({ id }) => templateKey(id),
    nameOf: ({ name }) => name,
    presentNameOf: ({ name }) => name,
    whenPresent: () => '',
    whenNew: (old) => planTemplate(planner, old),
  })
}

/** The template of machines that get none from elsewhere. */
export function planDefaultTemplate(
  planner: Planner,
  oldId: number | null,
  present: readonly AlertTemplate[],
): void {
  if (oldId === null) return
  const step = { kind: 'setting', name: 'default alert template' }
  const here = present.find((template) => template.default_template)
  if (here !== undefined) {
    planner.exists({ ...step, reason: `It is "${here.name}" here.` }, [])
    return
  }
  const body = (idOf: IdOf) => ({ alert_template: idOf(templateKey(oldId)) })
  planner.change({
    ...step,
    schema: setDefaultTemplate.body,
    body,
    call: (client, idOf) => client.callToEnd(setDefaultTemplate, { body: body(idOf) }),
  })
}

function planTemplate(planner: Planner, old: OldTemplate): void {
  const email_recipients = old.email_recipients.filter((text) => Email.safeParse(text).success)
  const text_recipients = old.text_recipients.filter((text) => Phones.safeParse([text]).success)
  const actions = [planAction(planner, old, ''), planAction(planner, old, 'resolved_')]
  const excluded_clients = old.excluded_clients.filter((id) => planner.has(clientKey(id)))
  const excluded_sites = old.excluded_sites.filter((id) => planner.has(siteKey(id)))
  const dropped = [
    ...old.email_recipients.filter((text) => !email_recipients.includes(text)),
    ...old.text_recipients.filter((text) => !text_recipients.includes(text)),
  ]
  const reasons = [
    dropped.length === 0 ? '' : `Invalid recipients are left out: ${dropped.join(', ')}.`,
    old.email_from === '' ? '' : 'The sender is that of the channel.',
    ...actions.map(({ reason }) => reason),
    old.excluded_agents.length === 0 ? '' : 'Exclude single machines by hand.',
  ]
  planner.create({
    kind: 'alert template',
    name: old.name,
    reason: reasons.filter(Boolean).join(' '),
    key: templateKey(old.id),
    endpoint: createAlertTemplate,
    body: (idOf) => ({
      name: old.name,
      is_active: old.is_active,
      email_recipients,
      text_recipients,
      ...actions.reduce((all, { fields }) => ({ ...all, ...fields(idOf) }), {}),
      agent_always_email: old.agent_always_email,
      agent_always_text: old.agent_always_text,
      agent_always_alert: old.agent_always_alert,
      agent_email_on_resolved: old.agent_email_on_resolved,
      agent_text_on_resolved: old.agent_text_on_resolved,
      agent_periodic_alert_minutes: inMinutes(old.agent_periodic_alert_days),
      agent_script_actions: old.agent_script_actions,
      check_always_email: old.check_always_email,
      check_always_text: old.check_always_text,
      check_always_alert: old.check_always_alert,
      check_email_on_resolved: old.check_email_on_resolved,
      check_text_on_resolved: old.check_text_on_resolved,
      check_email_alert_severity: notified(old.check_email_alert_severity),
      check_text_alert_severity: notified(old.check_text_alert_severity),
      check_dashboard_alert_severity: old.check_dashboard_alert_severity,
      check_periodic_alert_minutes: inMinutes(old.check_periodic_alert_days),
      check_script_actions: old.check_script_actions,
      task_always_email: old.task_always_email,
      task_always_text: old.task_always_text,
      task_always_alert: old.task_always_alert,
      task_email_on_resolved: old.task_email_on_resolved,
      task_text_on_resolved: old.task_text_on_resolved,
      task_email_alert_severity: notified(old.task_email_alert_severity),
      task_text_alert_severity: notified(old.task_text_alert_severity),
      task_dashboard_alert_severity: notified(old.task_dashboard_alert_severity),
      task_periodic_alert_minutes: inMinutes(old.task_periodic_alert_days),
      task_script_actions: old.task_script_actions,
      exclude_workstations: old.exclude_workstations,
      exclude_servers: old.exclude_servers,
      excluded_clients: excluded_clients.map((id) => idOf(clientKey(id))),
      excluded_sites: excluded_sites.map((id) => idOf(siteKey(id))),
    }),
  })
}

/** Days there, minutes here. */
function inMinutes(days: number): number {
  return Math.round(days * MINUTES_PER_DAY)
}

/** No severity there means warning and error, here all. */
function notified(severities: Severity[]): Severity[] {
  return severities.length === 0 ? ['warning', 'error'] : severities
}

/** The action of a failure, or with the prefix of its end. Only scripts on the machine move. */
function planAction(
  planner: Planner,
  old: OldTemplate,
  prefix: '' | 'resolved_',
): { reason: string; fields: (idOf: IdOf) => object } {
  const script = old[`${prefix}action`]
  const type = old[`${prefix}action_type`]
  const rest = old[`${prefix}action_rest`]
  const none = { reason: '', fields: () => ({}) }
  const name = prefix === '' ? 'action' : 'action when resolved'
  if (type === 'rest' && rest !== null)
    return { ...none, reason: `Its ${name} is a web request: add it by hand.` }
  if (type === 'rest' || script === null) return none
  if (type === 'server')
    return {
      ...none,
      reason: `Its ${name} runs on the server: add it by hand, because it must be approved here.`,
    }
  if (!planner.has(scriptKey(script))) return { ...none, reason: `The script of its ${name} is left out.` }
  return {
    reason: '',
    fields: (idOf) => ({
      [`${prefix}action_type`]: 'script',
      [`${prefix}action`]: idOf(scriptKey(script)),
      [`${prefix}action_args`]: old[`${prefix}action_args`],
      [`${prefix}action_env_vars`]: old[`${prefix}action_env_vars`].filter((line) => ENV_VAR.test(line)),
      [`${prefix}action_timeout`]: Math.max(1, Math.round(old[`${prefix}action_timeout`])),
    }),
  }
}
