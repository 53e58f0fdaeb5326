import type { CustomField } from '@muster/contract/api/custom-fields'
import type { CustomFieldModel, CustomFieldType } from '@muster/contract/custom-field-values'
import { describeDefault } from './field-values.ts'

export const MODELS: readonly { model: CustomFieldModel; label: string }[] = [
  { model: 'client', label: 'Clients' },
  { model: 'site', label: 'Sites' },
  { model: 'agent', label: 'Machines' },
]

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
