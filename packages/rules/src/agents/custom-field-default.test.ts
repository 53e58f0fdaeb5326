import { expect, test } from 'vitest'
import { customFieldDefault } from './custom-fields.ts'

const NONE = { default_value_string: '', default_value_bool: false, default_values_multiple: [] }

test.each([
  ['text', {}, undefined],
  ['text', { default_value_string: 'x' }, 'x'],
  ['checkbox', {}, false],
  ['checkbox', { default_value_bool: true }, true],
  ['multiple', {}, undefined],
  ['multiple', { default_values_multiple: ['a'] }, ['a']],
] as const)('a field of type %s with %j has the value %j', (type, more, expected) => {
  expect(customFieldDefault({ type, ...NONE, ...more })).toEqual(expected)
})
