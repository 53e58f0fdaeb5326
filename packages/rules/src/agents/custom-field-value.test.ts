import { expect, test } from 'vitest'
import { type CustomFieldInput, customFieldPayload, type CustomFieldPayload } from './custom-fields.ts'

test.each<[string, CustomFieldInput, Omit<CustomFieldPayload, 'field'>]>([
  ['multiple', ['a', 'b'], { multiple_value: ['a', 'b'] }],
  ['multiple', [], { multiple_value: [] }],
  ['multiple', null, { multiple_value: [] }],
  ['multiple', 'a', { multiple_value: ['a'] }],
  ['checkbox', true, { bool_value: true }],
  ['checkbox', false, { bool_value: false }],
  ['checkbox', undefined, { bool_value: false }],
  ['checkbox', 'true', { bool_value: true }],
  ['checkbox', 'false', { bool_value: false }],
  ['text', 'rack 7', { string_value: 'rack 7' }],
  ['text', '', { string_value: '' }],
  ['text', null, { string_value: '' }],
  ['number', 42, { string_value: '42' }],
  ['number', 0, { string_value: '0' }],
  ['single', 'gold', { string_value: 'gold' }],
  ['datetime', '2026-11-21T09:00:00Z', { string_value: '2026-11-21T09:00:00Z' }],
  ['a type of tomorrow', 'x', { string_value: 'x' }],
  ['text', ['a', 'b'], { string_value: 'a, b' }],
])('custom field value: type %s, value %j', (type, value, kind) => {
  expect(customFieldPayload({ id: 5, type }, value)).toStrictEqual({ field: 5, ...kind })
})

test('the sent list is a copy', () => {
  const chosen = ['a']
  const payload = customFieldPayload({ id: 5, type: 'multiple' }, chosen)
  chosen.push('b')
  expect(payload).toEqual({ field: 5, multiple_value: ['a'] })
})
