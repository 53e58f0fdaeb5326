import type { CustomField } from '@muster/contract/api/custom-fields'
import { JobAction } from '@muster/contract/fleet-jobs/job-draft'
import type { FieldValue } from '@muster/rules/agents/custom-fields'
import type { z } from 'zod'
import { toValue } from '../custom-fields/field-values.ts'
import { bytesOf, kindOf, WRONG } from '../remote/registry/value-form.ts'

/** Actions whose effect undo takes back. */
export const CHANGE_ACTIONS = [
  { value: 'tags', label: 'Change tags' },
  { value: 'move', label: 'Move to a site' },
  { value: 'custom_field', label: 'Set a custom field' },
  { value: 'service', label: 'Change a service' },
  { value: 'approve_patches', label: 'Approve or ignore patches' },
  { value: 'registry', label: 'Set or delete a registry value' },
  { value: 'file', label: 'Write a text file' },
  { value: 'push_file', label: 'Push a file' },
] as const
export type ChangeName = (typeof CHANGE_ACTIONS)[number]['value']

export const isChange = (action: string): action is ChangeName =>
  CHANGE_ACTIONS.some(({ value }) => value === action)

export interface ChangeForm {
  addTags: string[]
  removeTags: string[]
  site: string | null
  field: string | null
  fieldType: CustomField['type']
  fieldValue: FieldValue
  service: string
  /** Empty = unchanged. */
  serviceAction: string
  startType: string
  decision: string
  severities: string[]
  key: string
  valueName: string
  deleteValue: boolean
  valueType: string
  valueText: string
  path: string
  text: string
  /** The id of a stored file. */
  pushed: string | null
  overwrite: boolean
  /** Octal; empty = unchanged. */
  mode: string
  owner: string
}

export const NEW_CHANGE: ChangeForm = {
  addTags: [],
  removeTags: [],
  site: null,
  field: null,
  fieldType: 'text',
  fieldValue: '',
  service: '',
  serviceAction: '',
  startType: '',
  decision: 'approve',
  severities: ['Critical'],
  key: '',
  valueName: '',
  deleteValue: false,
  valueType: 'REG_SZ',
  valueText: '',
  path: '',
  text: '',
  pushed: null,
  overwrite: true,
  mode: '',
  owner: '',
}

/** Why the action cannot be planned yet, as a sentence. */
export function findChangeProblem(action: ChangeName, form: ChangeForm): string | undefined {
  if (action === 'move' && form.site === null) return 'Choose a site.'
  if (action === 'custom_field' && form.field === null) return 'Choose a custom field.'
  if (action === 'service' && form.service.trim() === '') return 'Enter the name of a service.'
  if (action === 'registry' && !form.deleteValue) {
    const kind = kindOf(form.valueType)
    if (bytesOf({ type: form.valueType, kind, text: form.valueText }) === undefined) return WRONG[kind]
  }
  if (action === 'push_file' && form.pushed === null) return 'Choose a file.'
  if ((action === 'file' || action === 'push_file') && form.mode !== '' && !/^[0-7]{3,4}$/.test(form.mode))
    return 'Enter a mode of three or four octal digits, such as 0644.'
  const parsed = JobAction.safeParse(toChange(action, form))
  return parsed.success ? undefined : parsed.error.issues[0]?.message
}

const orAbsent = <Name extends string>(name: Name, value: string) => (value === '' ? {} : { [name]: value })

/** The action of the form, which the contract checks. */
export function toChange(action: ChangeName, form: ChangeForm): z.input<typeof JobAction> {
  return readAction() as z.input<typeof JobAction>

  function readAction(): object {
    switch (action) {
      case 'tags':
        return { type: action, add: form.addTags, remove: form.removeTags }
      case 'move':
        return { type: action, site: Number(form.site) }
      case 'custom_field':
        return {
          type: action,
          field: Number(form.field),
          value: toValue({ type: form.fieldType }, form.fieldValue),
        }
      case 'service':
        return {
          type: action,
          name: form.service.trim(),
          ...orAbsent('action', form.serviceAction),
          ...orAbsent('start_type', form.startType),
        }
      case 'approve_patches':
        // A choice cannot have an empty value.
        return {
          type: action,
          decision: form.decision,
          severities: form.severities.map((one) => (one === 'none' ? '' : one)),
        }
      case 'registry':
        return {
          type: action,
          path: form.key.trim().replace(/\\+$/, ''),
          name: form.valueName,
          value: form.deleteValue ? null : { type: form.valueType, bytes: bytesOfForm(form) },
        }
      case 'file':
        return {
          type: action,
          path: form.path.trim(),
          text: form.text,
          ...rightsOf(form),
        }
      case 'push_file':
        return {
          type: action,
          file: Number(form.pushed),
          path: form.path.trim(),
          overwrite: form.overwrite,
          ...rightsOf(form),
        }
    }
  }
}

const rightsOf = ({ mode, owner }: ChangeForm) => ({
  mode: mode === '' ? null : Number.parseInt(mode, 8),
  owner: owner.trim() === '' ? null : owner.trim(),
})

const bytesOfForm = ({ valueType: type, valueText: text }: ChangeForm) =>
  bytesOf({ type, kind: kindOf(type), text }) ?? ''
