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
