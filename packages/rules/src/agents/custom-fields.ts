/** The part of a definition that validation needs. */
export interface FieldRules {
  name: string
  type: string
  options: readonly string[]
  required: boolean
}

/** A stored value: a boolean for a checkbox, a list for a multiple field, a text for others. */
export type FieldValue = string | boolean | string[]

/** A value as it is sent, before its kind is checked. */
export interface FieldPayload {
  multiple_value?: readonly string[] | undefined
  bool_value?: boolean | undefined
  string_value?: string | undefined
}

/** The value of a field, or what is wrong with it. The field's type decides the kind. */
export function readFieldPayload(
  field: FieldRules,
  payload: FieldPayload,
): { value: FieldValue } | { wrong: string } {
  const kind = field.type === 'multiple' ? 'multiple' : field.type === 'checkbox' ? 'bool' : 'string'
  const given = (['multiple', 'bool', 'string'] as const).filter(
    (name) => payload[`${name}_value`] !== undefined,
  )
  if (given.length !== 1 || given[0] !== kind)
    return { wrong: `${field.name} requires only a ${kind}_value.` }
  const sent = payload.multiple_value ?? payload.bool_value ?? payload.string_value ?? ''
  const value = typeof sent === 'boolean' ? sent : typeof sent === 'string' ? sent.trim() : [...new Set(sent)]
  const wrong = checkFieldValue(field, value)
  return wrong === null ? { value: normalValue(field, value) } : { wrong }
}

/** Returns the problem of a value as a sentence with the field's name; null if it is valid. */
export function checkFieldValue(field: FieldRules, value: FieldValue): string | null {
  const { name, options } = field
  if (isEmptyValue(value)) return field.required ? `${name} is needed.` : null
  switch (field.type) {
    case 'checkbox':
      return null
    case 'multiple': {
      const unknown = (Array.isArray(value) ? value : []).find((one) => !options.includes(one))
      return unknown === undefined ? null : `"${unknown}" is not a choice of ${name}.`
    }
    case 'single':
      return options.includes(String(value)) ? null : `"${String(value)}" is not a choice of ${name}.`
    case 'number':
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(String(value))
        ? null
        : `${name} must be a number such as 42 or 0.5.`
    case 'datetime':
      return readInstant(String(value)) === undefined
        ? `${name} must be a date and time such as 2026-11-21T09:30.`
        : null
    default:
      return null
  }
}

/** A checkbox is never empty: off is a value. */
export function isEmptyValue(value: FieldValue): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0)
}

/** Instants are stored in UTC, choices in the order of the definition. */
function normalValue(field: FieldRules, value: FieldValue): FieldValue {
  if (field.type === 'datetime' && typeof value === 'string') return readInstant(value) ?? ''
  if (Array.isArray(value)) return field.options.filter((option) => value.includes(option))
  return value
}

/** ISO 8601; without a zone it is UTC. */
function readInstant(text: string): string | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/i.exec(
    text,
  )
  if (match === null) return undefined
  const [, year, month, day, time = '00:00', seconds = ':00', zone = 'Z'] = match
  const date = new Date(`${year}-${month}-${day}T${time}${seconds.slice(0, 7)}${zone.toUpperCase()}`)
  if (Number.isNaN(date.getTime())) return undefined
  // JavaScript parses June 31 as July 1.
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number(day) > days ? undefined : date.toISOString()
}

/** The value of a custom field that is not set; undefined if it has no default either. */
export function customFieldDefault(field: {
  type: string
  default_value_string: string
  default_value_bool: boolean
  default_values_multiple: readonly string[]
}): string | boolean | string[] | undefined {
  if (field.type === 'checkbox') return field.default_value_bool
  if (field.type === 'multiple')
    return field.default_values_multiple.length === 0 ? undefined : [...field.default_values_multiple]
  return field.default_value_string === '' ? undefined : field.default_value_string
}

/** The value of a custom field in a form. */
export type CustomFieldInput = string | number | boolean | readonly string[] | null | undefined

/** A custom field's value as it is sent: exactly one of the three kinds. */
export type CustomFieldPayload =
  | { field: number; multiple_value: string[] }
  | { field: number; bool_value: boolean }
  | { field: number; string_value: string }

/** The payload of one custom field. The field's type decides the kind. */
export function customFieldPayload(
  { id, type }: { id: number; type: string },
  value: CustomFieldInput,
): CustomFieldPayload {
  if (type === 'multiple') return { field: id, multiple_value: toTexts(value) }
  if (type === 'checkbox') return { field: id, bool_value: value === true || value === 'true' }
  return { field: id, string_value: toTexts(value).join(', ') }
}

function toTexts(value: CustomFieldInput): string[] {
  if (value === null || value === undefined || value === '') return []
  return typeof value === 'object' ? [...value] : [String(value)]
}
