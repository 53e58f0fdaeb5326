import type { CustomFieldValue } from '@muster/contract/custom-field-values'

/** A value as people read it. In a file of its own: the first screen shows values, and edits none. */
export function describeValue(value: CustomFieldValue['value']): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : value.join(', ')
}
