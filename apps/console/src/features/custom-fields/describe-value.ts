import type { CustomFieldValue } from '@muster/contract/custom-field-values'

/** A value as text. In its own file because the first screen shows values but edits none. */
export function describeValue(value: CustomFieldValue['value']): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : value.join(', ')
}
