import fc from 'fast-check'
import { expect, test } from 'vitest'
import { customFieldPayload, type FieldPayload, type FieldRules, readFieldPayload } from './custom-fields.ts'

const field = (type: string, more: Partial<FieldRules> = {}): FieldRules => ({
  name: 'Room',
  type,
  options: ['a', 'b', 'c'],
  required: false,
  ...more,
})

test.each<[string, FieldPayload, unknown]>([
  ['text', { string_value: ' rack 7 ' }, 'rack 7'],
  ['text', { string_value: '' }, ''],
  ['number', { string_value: '42' }, '42'],
  ['number', { string_value: '-0.5e3' }, '-0.5e3'],
  ['single', { string_value: 'b' }, 'b'],
  ['multiple', { multiple_value: ['c', 'a', 'c'] }, ['a', 'c']],
  ['multiple', { multiple_value: [] }, []],
  ['checkbox', { bool_value: false }, false],
  ['datetime', { string_value: '2026-11-21T09:30' }, '2026-11-21T09:30:00.000Z'],
  ['datetime', { string_value: '2026-11-21T09:30:00+02:00' }, '2026-11-21T07:30:00.000Z'],
  ['datetime', { string_value: '2028-02-29' }, '2028-02-29T00:00:00.000Z'],
  ['a type of tomorrow', { string_value: 'x' }, 'x'],
])('a field of type %s accepts %j', (type, payload, value) => {
  expect(readFieldPayload(field(type), payload)).toEqual({ value })
})

test.each<[string, FieldPayload, string]>([
  ['text', { bool_value: true }, 'Room requires only a string_value.'],
  ['text', {}, 'Room requires only a string_value.'],
  ['text', { string_value: 'x', bool_value: true }, 'Room requires only a string_value.'],
  ['checkbox', { string_value: 'true' }, 'Room requires only a bool_value.'],
  ['multiple', { string_value: 'a' }, 'Room requires only a multiple_value.'],
  ['multiple', { multiple_value: ['a', 'z'] }, '"z" is not a choice of Room.'],
  ['single', { string_value: 'z' }, '"z" is not a choice of Room.'],
  ['number', { string_value: 'many' }, 'Room must be a number such as 42 or 0.5.'],
  ['number', { string_value: 'Infinity' }, 'Room must be a number such as 42 or 0.5.'],
  ['datetime', { string_value: '2026-02-30' }, 'Room must be a date and time such as 2026-11-21T09:30.'],
  ['datetime', { string_value: 'tomorrow' }, 'Room must be a date and time such as 2026-11-21T09:30.'],
  ['datetime', { string_value: '2026-13-01' }, 'Room must be a date and time such as 2026-11-21T09:30.'],
])('a field of type %s refuses %j', (type, payload, wrong) => {
  expect(readFieldPayload(field(type), payload)).toEqual({ wrong })
})

test('a required field must not be empty, but a checkbox may be off', () => {
  const required = { required: true }
  expect(readFieldPayload(field('text', required), { string_value: '  ' })).toEqual({
    wrong: 'Room is needed.',
  })
  expect(readFieldPayload(field('multiple', required), { multiple_value: [] })).toEqual({
    wrong: 'Room is needed.',
  })
  expect(readFieldPayload(field('checkbox', required), { bool_value: false })).toEqual({ value: false })
})

test("the sent value has the kind of the field's type, whatever the form contains", () => {
  const input = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string()), fc.constant(null))
  const type = fc.constantFrom('text', 'number', 'single', 'multiple', 'checkbox', 'datetime')
  fc.assert(
    fc.property(type, input, (kind, value) => {
      const { field: _, ...payload } = customFieldPayload({ id: 1, type: kind }, value)
      const read = readFieldPayload(field(kind), payload)
      expect('wrong' in read && read.wrong.includes('exactly')).toBe(false)
    }),
  )
})

test('a stored value is accepted again unchanged', () => {
  const payload = fc.constantFrom<[string, FieldPayload]>(
    ['datetime', { string_value: '2026-11-21T09:30:15.123+05:30' }],
    ['multiple', { multiple_value: ['b', 'a'] }],
    ['number', { string_value: '007' }],
  )
  fc.assert(
    fc.property(payload, ([type, sent]) => {
      const first = readFieldPayload(field(type), sent)
      if ('wrong' in first) throw new Error(first.wrong)
      const { field: _, ...again } = customFieldPayload({ id: 1, type }, first.value)
      expect(readFieldPayload(field(type), again)).toEqual(first)
    }),
  )
})
