import { type AgentDetail, EditableAgent } from '@muster/contract/api/agents'
import type { CustomField } from '@muster/contract/api/custom-fields'
import { type FieldInputs, startInputs } from '../custom-fields/field-values.ts'
import { OVERDUE_ALERTS } from './overdue-alerts.ts'

/** Settings of a machine in the form: numbers may be empty while typing. */
interface SettingsForm {
  site: string
  monitoring_type: string
  description: string
  own_tags: string[]
  time_zone: string | null
  default_shell: string
  default_shell_custom: string
  offline_time: number | string
  overdue_time: number | string
  check_interval: number | string
  availability_alerts: string
  overdue_email_alert: boolean
  overdue_text_alert: boolean
}

export interface AgentForm extends Record<string, unknown>, SettingsForm {
  /** Custom fields; their changes are sent separately. */
  fields: FieldInputs
}

export const SHELL_CHOICES = {
  windows: [
    { value: 'use_global', label: 'Default (CMD)' },
    { value: 'cmd', label: 'CMD' },
    { value: 'powershell', label: 'PowerShell' },
    { value: 'custom', label: 'Custom' },
  ],
  unix: [
    { value: 'use_global', label: 'Default (Bash)' },
    { value: 'bash', label: 'Bash' },
    { value: 'custom', label: 'Custom' },
  ],
}

export function readAgentForm(agent: AgentDetail, fields: readonly CustomField[] = []): AgentForm {
  return { ...readSettings(agent), fields: startInputs(fields, agent.custom_fields) }
}

function readSettings(agent: AgentDetail): SettingsForm {
  return {
    site: `${agent.site}`,
    monitoring_type: agent.monitoring_type,
    description: agent.description,
    own_tags: agent.own_tags,
    time_zone: agent.time_zone,
    default_shell: agent.default_shell,
    default_shell_custom: agent.default_shell_custom,
    offline_time: agent.offline_time,
    overdue_time: agent.overdue_time,
    check_interval: agent.check_interval,
    availability_alerts: agent.availability_alerts,
    overdue_email_alert: agent.overdue_email_alert,
    overdue_text_alert: agent.overdue_text_alert,
  }
}

const NUMBERS = {
  offline_time: 'Enter 2 to 9999998 minutes.',
  overdue_time: 'Enter 3 to 9999998 minutes.',
  check_interval: 'Enter 15 to 86400 seconds.',
} as const

/** Errors of the form, by field. */
export function checkAgentForm(form: AgentForm): Record<string, string | null> {
  const errors: Record<string, string | null> = {}
  for (const [name, message] of Object.entries(NUMBERS)) {
    // The names are fields of the contract's schema.
    const schema = EditableAgent.shape[name as keyof typeof NUMBERS]
    errors[name] = schema.safeParse(form[name]).success ? null : message
  }
  if (
    !errors.offline_time &&
    !errors.overdue_time &&
    Number(form.overdue_time) <= Number(form.offline_time)
  ) {
    errors.overdue_time = 'Must be longer than "Offline after".'
  }
  errors.default_shell_custom =
    form.default_shell === 'custom' && form.default_shell_custom.trim() === ''
      ? 'Give the path of the shell.'
      : null
  return errors
}

type AgentChanges = { [Name in keyof EditableAgent]?: EditableAgent[Name] | undefined }

/** Changed values only: others may have changed the rest meanwhile. */
export function toAgentChanges(form: AgentForm, start: AgentForm): AgentChanges {
  const changed = Object.entries(form).filter(
    ([name, value]) => name !== 'fields' && !isSame(value, start[name]),
  )
  return EditableAgent.partial().parse(
    Object.fromEntries(changed.map(([name, value]) => [name, name === 'site' ? Number(value) : value])),
  )
}

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (Array.isArray(a) && Array.isArray(b) && a.join('\n') === b.join('\n'))

const LABELS: Record<string, string> = {
  site: 'Site',
  monitoring_type: 'Type',
  description: 'Description',
  own_tags: 'Tags',
  time_zone: 'Time zone',
  default_shell: 'Shell',
  default_shell_custom: 'Shell path',
  offline_time: 'Offline after',
  overdue_time: 'Overdue after',
  check_interval: 'Check interval',
  availability_alerts: 'When overdue: Alert in the console',
  ...Object.fromEntries(OVERDUE_ALERTS.map(({ field, label }) => [field, `When overdue: ${label}`])),
  maintenance_mode: 'Maintenance mode',
}

/** Changes by another user, as text. */
export function describeChanges(
  before: AgentDetail,
  now: AgentDetail,
): { label: string; from: string; to: string }[] {
  const show = (agent: AgentDetail): Record<string, Shown> => ({
    ...readSettings(agent),
    site: `${agent.client_name} / ${agent.site_name}`,
    own_tags: agent.own_tags.join(', '),
    maintenance_mode: agent.maintenance_mode,
  })
  const [old, fresh] = [show(before), show(now)]
  return Object.keys(LABELS)
    .filter((name) => old[name] !== fresh[name])
    .map((name) => ({ label: LABELS[name] ?? name, from: textOf(old[name]), to: textOf(fresh[name]) }))
}

type Shown = string | number | boolean | null

function textOf(value: Shown | undefined): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return value === null || value === '' || value === undefined ? 'empty' : String(value)
}
