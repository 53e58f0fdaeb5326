import type { CustomField } from '@muster/contract/api/custom-fields'
import type { CustomFieldValue, NamedFieldValue } from '@muster/contract/custom-field-values'
import type { FieldRow, ValueRow } from './queries.ts'

export function viewField(row: FieldRow): CustomField {
  return {
    id: row.id,
    order: row.position,
    model: row.model,
    type: row.type,
    options: readTexts(row.options),
    name: row.name,
    required: row.required === 1,
    default_value_string: row.default_value_string,
    default_value_bool: row.default_value_bool === 1,
    default_values_multiple: readTexts(row.default_values_multiple),
    hide_in_ui: row.hide_in_ui === 1,
    hide_in_summary: row.hide_in_summary === 1,
    modified: row.modified,
  }
}

export function viewValue(row: ValueRow): CustomFieldValue {
  return { id: row.id, field: row.field_id, value: readValue(row.value) }
}

export function viewNamedValue(row: ValueRow): NamedFieldValue {
  const { name, type, hide_in_summary } = row
  return { ...viewValue(row), name, type, hide_in_summary: hide_in_summary === 1 }
}

export function readValue(value: string): CustomFieldValue['value'] {
  // Written by set-values.ts.
  return JSON.parse(value) as CustomFieldValue['value']
}

/** The fields of a custom field in audit rows. */
export function viewForAudit(row: FieldRow) {
  const { id: _, modified: _modified, ...parts } = viewField(row)
  return parts
}

function readTexts(text: string): string[] {
  // JSON columns, written from the contract's lists.
  return JSON.parse(text) as string[]
}
