import {
  type AlertTemplate,
  AlertTemplateForm,
  getRelatedToTemplate,
  listAlertTemplates,
  StoredTemplateForm,
} from '@muster/contract/api/alert-templates'
import { type AgentName, listAgents } from '@muster/contract/api/agents'
import type { z } from 'zod'
import { query } from '../../../app/api/api.ts'

type Named = Pick<z.infer<typeof AgentName>, 'agent_id' | 'hostname' | 'site'>

/** Every machine by name, for choosing one. */
export const machineNamesQuery = query(listAgents, { query: { detail: 'false' } })

/** Options of a select; two sites may have machines of the same name. */
export function namesOf(machines: readonly Named[]): { value: string; label: string }[] {
  return machines.map(({ agent_id, hostname, site }) => ({ value: agent_id, label: `${hostname}, ${site}` }))
}

export type TemplateForm = AlertTemplateForm
export type Rest = NonNullable<TemplateForm['action_rest']>
/** Field names of the two actions. */
export type ActionKind = 'action' | 'resolved_action'
/** Field names of the alert types. */
export type SettingsKind = 'agent' | 'check' | 'task' | 'custom'

export const EMPTY_REST: Rest = { url: '', method: 'POST', headers: [], secret: '', body_template: '' }

/** A new template changes nothing; its name is still missing. */
export function newTemplateForm(): TemplateForm {
  return { ...AlertTemplateForm.parse({ name: '-' }), name: '' }
}

export function readTemplateForm(template: AlertTemplate): TemplateForm {
  return StoredTemplateForm.parse(template)
}

/** The values to send: without empty lines and without fields of other actions. */
export function toTemplate(form: TemplateForm): TemplateForm {
  return {
    ...form,
    name: form.name.trim(),
    email_recipients: filled(form.email_recipients),
    text_recipients: filled(form.text_recipients),
    action_env_vars: filled(form.action_env_vars),
    resolved_action_env_vars: filled(form.resolved_action_env_vars),
    action: runsScript(form.action_type) ? form.action : null,
    resolved_action: runsScript(form.resolved_action_type) ? form.resolved_action : null,
    action_rest: form.action_type === 'rest' ? form.action_rest : null,
    resolved_action_rest: form.resolved_action_type === 'rest' ? form.resolved_action_rest : null,
  }
}

/** One error for each invalid field. */
export function checkTemplateForm(form: TemplateForm): Record<string, string> {
  const found: [string, string][] = []
  if (form.name.trim() === '') found.push(['name', 'A name is needed.'])
  if (runsScript(form.action_type) && form.action === null) found.push(['action', 'Choose a script.'])
  if (runsScript(form.resolved_action_type) && form.resolved_action === null)
    found.push(['resolved_action', 'Choose a script.'])
  const issues = AlertTemplateForm.safeParse(toTemplate(form)).error?.issues ?? []
  for (const { path, message, code } of issues) {
    const [field, inside] = path.map(String)
    const name =
      inside !== undefined && field?.endsWith('_rest') === true ? `${field}.${inside}` : (field ?? '')
    found.push([name, code === 'invalid_type' ? 'Enter a number.' : message])
  }
  // The first error of a field counts.
  return Object.fromEntries(found.toReversed())
}

const filled = (lines: readonly string[]): string[] =>
  lines.map((line) => line.trim()).filter((line) => line !== '')

const runsScript = (type: TemplateForm['action_type']): boolean => type === 'script' || type === 'server'

export const templatesQuery = query(listAlertTemplates, {})
export const relatedQuery = (id: number) => query(getRelatedToTemplate, { params: { id } })
