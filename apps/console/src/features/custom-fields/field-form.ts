import {
  type createCustomField,
  type CustomField,
  listCustomFields,
} from '@muster/contract/api/custom-fields'
import type { CustomFieldModel, CustomFieldType } from '@muster/contract/custom-field-values'
import type { Input } from '@muster/contract/endpoint'
import { checkFieldValue } from '@muster/rules/agents/custom-fields'
import { query } from '../../app/api/api.ts'
import { describeDefault, toLocalInput } from './field-values.ts'

export const MODELS: readonly { model: CustomFieldModel; label: string }[] = [
  { model: 'client', label: 'Clients' },
  { model: 'site', label: 'Sites' },
  { model: 'agent', label: 'Machines' },
]

/** Choices of a list of custom fields, by what has them. */
export function groupFields(fields: readonly CustomField[]) {
  return MODELS.map(({ model, label }) => ({
    group: label,
    items: fields
      .filter((field) => field.model === model)
      .map(({ id, name }) => ({ value: `${id}`, label: name })),
  })).filter(({ items }) => items.length > 0)
}

export const TYPE_LABELS: Record<CustomFieldType, string> = {
  text: 'Text',
  number: 'Number',
  single: 'Single choice',
  multiple: 'Multiple choice',
  checkbox: 'Checkbox',
  datetime: 'Date and time',
}

export const modelOf = (text: string | undefined): CustomFieldModel =>
  MODELS.find(({ model }) => model === text)?.model ?? 'client'

/** `Text · required · default "x" · hidden in forms`. */
export function describeField(field: CustomField): string {
  const usual = field.type === 'checkbox' && field.default_value_bool ? 'on' : describeDefault(field)
  return [
    TYPE_LABELS[field.type],
    field.options.join(', '),
    field.required && 'required',
    usual !== undefined && `default: ${usual}`,
    field.hide_in_ui && 'hidden in forms',
    field.hide_in_summary && 'hidden in the summary',
  ]
    .filter(Boolean)
    .join(' · ')
}

/** A definition during editing. */
export interface FieldForm extends Record<string, unknown> {
  type: CustomFieldType
  name: string
  options: string[]
  required: boolean
  default_value_string: string
  default_value_bool: boolean
  default_values_multiple: string[]
  hide_in_ui: boolean
  hide_in_summary: boolean
}

export const NEW_FIELD: FieldForm = {
  type: 'text',
  name: '',
  options: [],
  required: false,
  default_value_string: '',
  default_value_bool: false,
  default_values_multiple: [],
  hide_in_ui: false,
  hide_in_summary: false,
}

export function readFieldForm(field: CustomField): FieldForm {
  const { id: _, order: _order, model: _model, modified: _modified, ...form } = field
  if (form.type !== 'datetime') return form
  return { ...form, default_value_string: toLocalInput(form.default_value_string) }
}

export function toFieldBody(
  model: CustomFieldModel,
  form: FieldForm,
): Input<typeof createCustomField>['body'] {
  const text = form.default_value_string
  return {
    ...form,
    model,
    options: cleanOptions(form),
    default_values_multiple: form.default_values_multiple.filter((one) => cleanOptions(form).includes(one)),
    default_value_string:
      form.type === 'datetime' && text !== '' ? new Date(text).toISOString() : text.trim(),
    required: form.required && form.type !== 'checkbox',
  }
}

export const hasChoices = ({ type }: FieldForm): boolean => type === 'single' || type === 'multiple'

export const cleanOptions = ({ options }: FieldForm): string[] =>
  options.map((option) => option.trim()).filter((option) => option !== '')

/** Errors of the form, by field. */
export function checkFieldForm(form: FieldForm): Record<string, string | null> {
  const { type, name, required } = form
  const options = cleanOptions(form)
  const isMultiple = type === 'multiple'
  const usual = isMultiple ? form.default_values_multiple : form.default_value_string.trim()
  const place = isMultiple ? 'default_values_multiple' : 'default_value_string'
  const wrong =
    type === 'checkbox' || type === 'datetime'
      ? null
      : checkFieldValue({ name: 'The default', type, options, required: false }, usual)
  return {
    name:
      name.trim() === ''
        ? 'A name is needed.'
        : /[{}]/.test(name)
          ? 'Do not use braces: scripts write {{agent.name}}.'
          : null,
    options: !hasChoices(form)
      ? null
      : options.length === 0
        ? 'Enter at least one choice.'
        : new Set(options).size < options.length
          ? 'Enter each choice only once.'
          : null,
    [place]:
      wrong ??
      (required && type !== 'checkbox' && usual.length === 0 ? 'A required field needs a default.' : null),
  }
}

/** Fields of all three models: few, and used by several dialogs. */
export const fieldsQuery = query(listCustomFields, { query: {} })
