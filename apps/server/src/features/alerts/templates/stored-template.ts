import { type AlertTemplateForm, StoredTemplateForm } from '@muster/contract/api/alert-templates'
import type { ChannelSettings } from '@muster/contract/api/alert-channels'
import type { TemplateExclusions } from '@muster/rules/alerts/alert-template'
import type { Secrets } from '../../../platform/secrets/secrets.ts'
import { keepSecrets, maskSettings, openSettings, sealSettings } from '../channels/seal-settings.ts'
import type { TemplateRow } from './queries.ts'

type Rest = NonNullable<AlertTemplateForm['action_rest']>
type Exclusion = keyof TemplateExclusions

/** The stored form: webhooks are sealed by sealSettings. */
export type StoredSettings = Omit<
  AlertTemplateForm,
  Exclusion | 'name' | 'is_active' | 'action_rest' | 'resolved_action_rest'
> & { action_rest: string | null; resolved_action_rest: string | null }

/** A template in use. The secrets in its settings are sealed. */
export interface Template extends TemplateExclusions {
  id: number
  name: string
  is_active: boolean
  author_id: number | null
  settings: StoredSettings
}

export function readTemplate(row: TemplateRow): Template {
  return {
    id: row.id,
    name: row.name,
    is_active: row.is_active === 1,
    author_id: row.author_id,
    // Written by columnsOf below.
    settings: JSON.parse(row.settings) as StoredSettings,
    ...(JSON.parse(row.exclusions) as TemplateExclusions),
  }
}

/** The form with its secrets or their masks. */
export function formOf(row: TemplateRow, read: (sealed: string) => Rest): AlertTemplateForm {
  const { id: _id, author_id: _author, settings, ...rest } = readTemplate(row)
  const { action_rest, resolved_action_rest } = settings
  return StoredTemplateForm.parse({
    ...rest,
    ...settings,
    action_rest: action_rest === null ? null : read(action_rest),
    resolved_action_rest: resolved_action_rest === null ? null : read(resolved_action_rest),
  })
}

export function columnsOf(form: AlertTemplateForm, secrets: Secrets) {
  const { name, is_active, action_rest, resolved_action_rest, ...others } = form
  const {
    exclude_workstations,
    exclude_servers,
    excluded_sites,
    excluded_clients,
    excluded_agents,
    ...plain
  } = others
  const settings: StoredSettings = {
    ...plain,
    action_rest: action_rest && sealSettings({ kind: 'webhook', ...action_rest }, secrets),
    resolved_action_rest:
      resolved_action_rest && sealSettings({ kind: 'webhook', ...resolved_action_rest }, secrets),
  }
  const exclusions: TemplateExclusions = {
    exclude_workstations,
    exclude_servers,
    excluded_sites,
    excluded_clients,
    excluded_agents,
  }
  const flag: 0 | 1 = is_active ? 1 : 0
  return {
    name,
    is_active: flag,
    settings: JSON.stringify(settings),
    exclusions: JSON.stringify(exclusions),
  }
}

export const maskRest = (sealed: string): Rest => restOf(maskSettings(sealed))

export const openRest =
  (secrets: Secrets) =>
  (sealed: string): Rest =>
    restOf(openSettings(sealed, secrets))

/** Replaces masked secrets by the stored ones. */
export function keepRest(sent: Rest | null, before: Rest | null): Rest | null {
  if (sent === null) return null
  const known = before === null ? undefined : ({ kind: 'webhook', ...before } as const)
  return restOf(keepSecrets({ kind: 'webhook', ...sent }, known))
}

function restOf(settings: ChannelSettings): Rest {
  if (settings.kind !== 'webhook') throw new Error('the webhook of a template has another kind')
  const { kind: _kind, ...rest } = settings
  return rest
}
