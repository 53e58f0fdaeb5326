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
