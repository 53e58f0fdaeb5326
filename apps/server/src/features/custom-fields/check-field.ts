import type { createCustomField } from '@muster/contract/api/custom-fields'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { checkFieldValue } from '@muster/rules/agents/custom-field-check'
import type { FieldRow } from './queries.ts'

export type FieldForm = Parsed<typeof createCustomField>['body']
export type FieldColumns = Pick<
  FieldRow,
  | 'options'
  | 'name'
  | 'required'
  | 'default_value_string'
  | 'default_value_bool'
  | 'default_values_multiple'
  | 'hide_in_ui'
  | 'hide_in_summary'
>

/** Refuses a definition that no value could meet, or whose default its own rules refuse. */
export function checkField(form: FieldForm): void {
  const { type, options, required, name } = form
  const hasChoices = type === 'single' || type === 'multiple'
  if (hasChoices && options.length === 0) refuse('options', 'At least one choice is needed.')
  if (new Set(options).size < options.length) refuse('options', 'Each choice once.')
  if (required && type === 'checkbox') refuse('required', 'A checkbox is never empty, so it is not required.')
  if (type === 'checkbox') return
  const given = type === 'multiple' ? form.default_values_multiple : form.default_value_string.trim()
  const field = type === 'multiple' ? 'default_values_multiple' : 'default_value_string'
  const wrong = checkFieldValue({ name: 'The default', type, options, required: false }, given)
  if (wrong !== null) refuse(field, wrong)
  if (required && given.length === 0)
    refuse(field, `What is required needs a default: "${name}" may be missing already.`)
}

/** The form as columns; what its type has no use for is emptied. */
export function toColumns(form: FieldForm): FieldColumns {
  const { type } = form
  const hasChoices = type === 'single' || type === 'multiple'
  return {
    name: form.name,
    options: JSON.stringify(hasChoices ? form.options : []),
    required: form.required ? 1 : 0,
    default_value_string: type === 'multiple' || type === 'checkbox' ? '' : form.default_value_string.trim(),
    default_value_bool: type === 'checkbox' && form.default_value_bool ? 1 : 0,
    default_values_multiple: JSON.stringify(type === 'multiple' ? form.default_values_multiple : []),
    hide_in_ui: form.hide_in_ui ? 1 : 0,
    hide_in_summary: form.hide_in_summary ? 1 : 0,
  }
}

export function takenName({ name, model }: { name: string; model: string }) {
  const whose = { client: 'Clients', site: 'Sites', agent: 'Machines' }[model] ?? model
  return { field: 'name', sentence: `${whose} already have a field named "${name}".` }
}

function refuse(field: string, sentence: string): never {
  throw new AppError('invalid', sentence, { fields: { [field]: [sentence] } })
}
