import type { CustomField } from '@muster/contract/api/custom-fields'
import { expect, test } from 'vitest'
import { changedPayloads, checkInputs, describeDefault, startInputs, toLocalInput } from './field-values.ts'

function field(id: number, type: CustomField['type'], more: Partial<CustomField> = {}): CustomField {
  return {
    id,
    order: 0,
    model: 'agent',
    type,
    options: type === 'single' || type === 'multiple' ? ['a', 'b'] : [],
    name: `Field ${id}`,
    required: false,
    default_value_string: '',
    default_value_bool: false,
    default_values_multiple: [],
    hide_in_ui: false,
    hide_in_summary: false,
    modified: 'm1',
    ...more,
  }
}

const FIELDS = [
  field(1, 'text'),
  field(2, 'multiple'),
  field(3, 'checkbox', { default_value_bool: true }),
  field(4, 'datetime'),
]

test('inputs start with the stored value, else empty; a checkbox starts with its default', () => {
  const at = '2026-11-21T10:00:00.000Z'
  expect(startInputs(FIELDS, [])).toEqual({ 1: '', 2: [], 3: true, 4: '' })
  expect(
    startInputs(FIELDS, [
      { id: 1, field: 1, value: 'x' },
      { id: 2, field: 2, value: ['a'] },
      { id: 3, field: 3, value: false },
      { id: 4, field: 4, value: at },
    ]),
  ).toEqual({ 1: 'x', 2: ['a'], 3: false, 4: toLocalInput(at) })
})

test('spec, custom fields: only changed values are sent, each with the kind of its type', () => {
  const start = startInputs(FIELDS, [])
  expect(changedPayloads(FIELDS, start, start)).toEqual([])
  const at = '2026-11-21T10:00:00.000Z'
  expect(changedPayloads(FIELDS, { 1: 'x', 2: ['a'], 3: false, 4: toLocalInput(at) }, start)).toEqual([
    { field: 1, string_value: 'x' },
    { field: 2, multiple_value: ['a'] },
    { field: 3, bool_value: false },
    { field: 4, string_value: at },
  ])
})

test('errors are shown at their fields; unchanged fields are not validated', () => {
  const fields = [field(1, 'number'), field(2, 'text', { required: true, default_value_string: 'x' })]
  const start = startInputs(fields, [{ id: 1, field: 2, value: 'old' }])
  expect(checkInputs(fields, { 1: 'many', 2: '' }, start)).toEqual({
    'fields.1': 'Field 1 must be a number such as 42 or 0.5.',
    'fields.2': 'Field 2 is needed.',
  })
  expect(checkInputs(fields, start, start)).toEqual({})
})

test('a default is a hint', () => {
  expect(describeDefault(field(1, 'text', { default_value_string: 'x' }))).toBe('x')
  expect(describeDefault(field(1, 'multiple', { default_values_multiple: ['a', 'b'] }))).toBe('a, b')
  expect(describeDefault(field(1, 'checkbox', { default_value_bool: true }))).toBeUndefined()
})
