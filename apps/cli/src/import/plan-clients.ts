import {
  type Client as ClientRow,
  createClient,
  createSite,
  editClient,
  editSite,
  type Site,
} from '@muster/contract/api/clients'
import { createCustomField, type CustomField } from '@muster/contract/api/custom-fields'
import { NodeName } from '@muster/contract/fields'
import {
  checkFieldValue,
  type CustomFieldPayload,
  customFieldPayload,
  isEmptyValue,
} from '@muster/rules/agents/custom-fields'
import { nameKey } from '@muster/contract/names'
import { type IdOf, indexByName, matchByName, type Planner } from './steps.ts'
import type { OldClient, OldField, OldFieldValue } from './tactical.ts'

type OldSite = OldClient['sites'][number]

export const clientKey = (id: number): string => `client ${id}`
export const siteKey = (id: number): string => `site ${id}`
export const fieldKey = (id: number): string => `custom field ${id}`
export const templateKey = (id: number): string => `alert template ${id}`

/** A client or site of a source that knows only names. */
export function plainNode(id: number, name: string): OldSite {
  return {
    id,
    name,
    server_policy: null,
    workstation_policy: null,
    alert_template: null,
    block_policy_inheritance: false,
    custom_fields: [],
  }
}

export function planFields(
  planner: Planner,
  olds: readonly OldField[],
  present: readonly CustomField[],
): void {
  for (const model of ['client', 'site', 'agent'] as const) {
    matchByName(
      planner,
      olds.filter((old) => old.model === model),
      present.filter((field) => field.model === model),
      {
        kind: `${model === 'agent' ? 'machine' : model} field`,
        keyOf: ({ id }) => fieldKey(id),
        nameOf: ({ name }) => name,
        presentNameOf: ({ name }) => name,
        whenPresent: (old, here) =>
          old.type === here.type ? '' : `Its type is ${here.type} here, ${old.type} there.`,
        whenNew: (old) => planField(planner, old),
      },
    )
  }
}

function planField(planner: Planner, old: OldField): void {
  const { model, type, name } = old
  const options = [...new Set(old.options.map((option) => option.trim()))].filter((option) => option !== '')
  const given = type === 'multiple' ? old.default_values_multiple : old.default_value_string.trim()
  const wrong = checkFieldValue({ name: 'Its default', type, options, required: false }, given)
  const hasDefault = wrong === null && !isEmptyValue(given)
  const required = old.required && type !== 'checkbox' && hasDefault
  const reasons = [
    wrong === null ? '' : `${wrong} The default is left out.`,
    required === old.required ? '' : 'Not required here: a required field needs a default.',
  ]
  planner.create({
    kind: `${model === 'agent' ? 'machine' : model} field`,
    name,
    reason: reasons.filter(Boolean).join(' '),
    key: fieldKey(old.id),
    endpoint: createCustomField,
    body: () => ({
      model,
      type,
      name,
      options,
      required,
      default_value_string: hasDefault && typeof given === 'string' ? given : '',
      default_value_bool: old.default_value_bool,
      default_values_multiple: hasDefault && typeof given !== 'string' ? given : [],
      hide_in_ui: old.hide_in_ui,
      hide_in_summary: old.hide_in_summary,
    }),
  })
}

export function planClients(
  planner: Planner,
  olds: readonly OldClient[],
  present: readonly ClientRow[],
): void {
  matchByName(planner, olds, present, {
    kind: 'client',
    keyOf: ({ id }) => clientKey(id),
    nameOf: ({ name }) => name,
    presentNameOf: ({ name }) => name,
    whenPresent: () => '',
    whenNew: (old) => planClient(planner, old),
  })
  const findClient = indexByName(present, ({ name }) => name)
  for (const old of olds) {
    const here = findClient(old.name)
    matchByName(planner, old.sites, planner.has(clientKey(old.id)) ? (here?.sites ?? []) : [], {
      kind: 'site',
      keyOf: ({ id }) => siteKey(id),
      nameOf: ({ name }) => `${old.name} / ${name}`,
      presentNameOf: (site) => `${old.name} / ${site.name}`,
      whenPresent: () => '',
      whenNew: ({ id, name }) => {
        // Comes with its client.
        if (planner.has(siteKey(id))) return
        planner.create({
          kind: 'site',
          name: `${old.name} / ${name}`,
          key: siteKey(id),
          endpoint: createSite,
          body: (idOf) => ({ site: { client: idOf(clientKey(old.id)), name } }),
        })
      },
    })
  }
}

/** A new client comes with its first site. */
function planClient(planner: Planner, { id, name, sites }: OldClient): void {
  const first = sites.find((site) => NodeName.safeParse(site.name).success)
  if (first === undefined) {
    planner.leaveOut({ kind: 'client', name, reason: 'It has no site, and a client needs one.' })
    return
  }
  planner.label(siteKey(first.id), `the site "${name} / ${first.name}"`)
  planner.create({
    kind: 'client',
    name,
    reason: `With the site "${first.name}".`,
    key: clientKey(id),
    endpoint: createClient,
    body: () => ({ client: { name }, site: { name: first.name } }),
    alsoKeys: [siteKey(first.id)],
    // The response of createClient.
    alsoCreates: (created) => [[siteKey(first.id), (created as ClientRow).sites[0]?.id ?? 0]],
  })
}

/** Values and settings of clients and sites. What is set here already stays. */
export function planNodeSettings(
  planner: Planner,
  { clients, fields }: { clients: readonly OldClient[]; fields: readonly OldField[] },
  present: { clients: readonly ClientRow[]; fields: readonly CustomField[] },
): void {
  const context = { planner, fields, presentFields: present.fields }
  const findClient = indexByName(present.clients, ({ name }) => name)
  for (const old of clients) {
    const client = findClient(old.name)
    const findSite = indexByName(client?.sites ?? [], ({ name }) => name)
    planSettings(context, { kind: 'client', name: old.name, key: clientKey(old.id), old, here: client })
    for (const site of old.sites) {
      const here = findSite(site.name)
      const name = `${old.name} / ${site.name}`
      planSettings(context, { kind: 'site', name, key: siteKey(site.id), old: site, here })
    }
  }
}

export interface FieldContext {
  planner: Planner
  fields: readonly OldField[]
  presentFields: readonly CustomField[]
}

interface Node {
  kind: 'client' | 'site'
  name: string
  key: string
  old: OldClient | OldSite
  here: ClientRow | Site | undefined
}

function planSettings(context: FieldContext, { kind, name, key, old, here }: Node): void {
  const { planner } = context
  // Its own step says why.
  if (!planner.has(key)) return
  const step = { kind: `${kind} settings`, name }
  const { values, kept } = planValues(context, step, {
    olds: old.custom_fields,
    here: here?.custom_fields ?? [],
  })
  const block = old.block_policy_inheritance && here?.block_policy_inheritance !== true
  const template = here?.alert_template == null ? old.alert_template : null
  if (values.length === 0 && !block && template === null) {
    const hasAny = kept > 0 || old.block_policy_inheritance || old.alert_template !== null
    if (hasAny) planner.exists(step, [])
    return
  }
  const settings = (idOf: IdOf) => ({
    ...(block ? { block_policy_inheritance: true } : {}),
    ...(template === null ? {} : { alert_template: idOf(templateKey(template)) }),
  })
  const bodies = {
    client: (idOf: IdOf) => ({ client: settings(idOf), custom_fields: values.map((value) => value(idOf)) }),
    site: (idOf: IdOf) => ({ site: settings(idOf), custom_fields: values.map((value) => value(idOf)) }),
  }
  const what = [
    values.length === 0 ? '' : `${values.length} custom ${values.length === 1 ? 'field' : 'fields'}`,
    block ? 'inherits no policies' : '',
    template === null ? '' : 'alert template',
  ]
  planner.change({
    ...step,
    reason: `${what.filter(Boolean).join(', ')}.`,
    schema: kind === 'client' ? editClient.body : editSite.body,
    body: (idOf) => {
      idOf(key)
      return bodies[kind](idOf)
    },
    call: (client, idOf) => {
      const params = { id: idOf(key) }
      return kind === 'client'
        ? client.callToEnd(editClient, { params, body: bodies.client(idOf) })
        : client.callToEnd(editSite, { params, body: bodies.site(idOf) })
    },
  })
}

/** Values that are empty here and valid. Others are left out, by name. */
export function planValues(
  { planner, fields, presentFields }: FieldContext,
  { kind, name }: { kind: string; name: string },
  { olds, here }: { olds: readonly OldFieldValue[]; here: readonly { field: number; value: unknown }[] },
): { values: ((idOf: IdOf) => CustomFieldPayload)[]; kept: number } {
  const values: ((idOf: IdOf) => CustomFieldPayload)[] = []
  let kept = 0
  for (const { field: oldId, value } of olds) {
    const field = fields.find(({ id }) => id === oldId)
    if (field === undefined || value === null || value === undefined) continue
    const given = typeof value === 'number' ? String(value) : value
    if (isEmptyValue(given)) continue
    const present = presentFields.find(
      (one) => one.model === field.model && nameKey(one.name) === nameKey(field.name),
    )
    if (present !== undefined && here.some((one) => one.field === present.id)) {
      kept += 1
      continue
    }
    const rules = { name: field.name, type: field.type, options: field.options, required: false, ...present }
    const wrong = checkFieldValue({ ...rules, required: false }, given)
    const reason = planner.has(fieldKey(oldId)) ? wrong : `The custom field "${field.name}" is left out.`
    if (reason === null)
      values.push((idOf) => customFieldPayload({ id: idOf(fieldKey(oldId)), type: rules.type }, given))
    else planner.leaveOut({ kind, name: `${name}: ${field.name}`, reason })
  }
  return { values, kept }
}
