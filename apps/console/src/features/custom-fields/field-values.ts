import type { CustomField } from '@muster/contract/api/custom-fields'
import type { CustomFieldPayloads, CustomFieldValue } from '@muster/contract/custom-field-values'
import { checkFieldValue, customFieldPayload, type FieldValue } from '@muster/rules/agents/custom-fields'

/** Form values of custom fields, by field id. */
export type FieldInputs = Record<string, FieldValue>

/** Initial inputs: the stored value, else empty, or for a checkbox its default. */
export function startInputs(
  fields: readonly CustomField[],
  values: readonly CustomFieldValue[],
): FieldInputs {
  return Object.fromEntries(
    fields.map((field) => {
      const stored = values.find((value) => value.field === field.id)?.value
      return [`${field.id}`, toInput(field, stored)]
    }),
  )
}

function toInput(field: CustomField, stored: FieldValue | undefined): FieldValue {
  switch (field.type) {
    case 'checkbox':
      return typeof stored === 'boolean' ? stored : field.default_value_bool
    case 'multiple':
      return Array.isArray(stored) ? stored : []
    case 'datetime':
      return typeof stored === 'string' ? toLocalInput(stored) : ''
    default:
      return typeof stored === 'string' ? stored : ''
  }
}

/** Changed values to send, by the type of the field. */
export function changedPayloads(
  fields: readonly CustomField[],
  inputs: FieldInputs,
  start: FieldInputs,
): CustomFieldPayloads {
  return changedFields(fields, inputs, start).map((field) =>
    customFieldPayload(field, toValue(field, inputs[field.id])),
  )
}

/** The part of a request with the changes; empty without changes. */
export function changedBody(
  fields: readonly CustomField[],
  inputs: FieldInputs,
  start: FieldInputs,
): { custom_fields?: CustomFieldPayloads } {
  const custom_fields = changedPayloads(fields, inputs, start)
  return custom_fields.length === 0 ? {} : { custom_fields }
}

/** Errors of the changed values, under the paths of the form (`fields.12`). */
export function checkInputs(
  fields: readonly CustomField[],
  inputs: FieldInputs,
  start: FieldInputs,
): Record<string, string> {
  const errors = changedFields(fields, inputs, start).flatMap((field): [string, string][] => {
    const wrong = checkFieldValue(field, toValue(field, inputs[field.id]))
    return wrong === null ? [] : [[`fields.${field.id}`, wrong]]
  })
  return Object.fromEntries(errors)
}

/** The changed inputs. */
export function changedInputs(inputs: FieldInputs, start: FieldInputs): FieldInputs {
  return Object.fromEntries(
    Object.entries(inputs).filter(([id, input]) => JSON.stringify(input) !== JSON.stringify(start[id])),
  )
}

/** The default value as a hint; undefined without a default. */
export function describeDefault(field: CustomField): string | undefined {
  if (field.type === 'checkbox') return undefined
  const text =
    field.type === 'multiple' ? field.default_values_multiple.join(', ') : field.default_value_string
  return text === '' ? undefined : text
}

function changedFields(
  fields: readonly CustomField[],
  inputs: FieldInputs,
  start: FieldInputs,
): CustomField[] {
  return fields.filter(({ id }) => JSON.stringify(inputs[id]) !== JSON.stringify(start[id]))
}

/** The value of an input: times are instants. */
export function toValue(field: Pick<CustomField, 'type'>, input: FieldValue | undefined): FieldValue {
  if (field.type === 'datetime' && typeof input === 'string' && input !== '') {
    const date = new Date(input)
    return Number.isNaN(date.getTime()) ? input : date.toISOString()
  }
  return input ?? ''
}

/** The format of a datetime input, in the user's time zone. */
export function toLocalInput(instant: string): string {
  const date = new Date(instant)
  if (Number.isNaN(date.getTime())) return ''
  const two = (part: number) => `${part}`.padStart(2, '0')
  const day = `${`${date.getFullYear()}`.padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}

/** A value as text. In its own file because the first screen shows values but edits none. */
export function describeValue(value: CustomFieldValue['value']): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : value.join(', ')
}
