import { expect, test } from 'vitest'
import { findNameProblem, nameKey, normalizeName } from './names.ts'

test.each([
  ['case', 'Acme', 'ACME'],
  ['both normal forms', 'Caf\u00E9', 'Cafe\u0301'],
  ['a zero-width space', 'Acme', 'Acme\u200B'],
  ['a soft hyphen', 'Acme', 'Ac\u00ADme'],
  ['a character of direction', 'evil', '\u202Eevil'],
  ['a no-break space', 'Acme Ltd', 'Acme\u00A0Ltd'],
  ['two blanks, which a page shows as one', 'Acme Ltd', 'Acme  Ltd'],
  ['full-width letters', 'Acme', '\uFF21cme'],
  ['a ligature', 'Office', 'O\uFB03ce'],
  ['sharp s', 'Straße', 'STRASSE'],
  ['the Kelvin sign', 'OK', 'O\u212A'],
  ['final sigma', 'ΟΔΟΣ', 'οδος'],
  ['a Hangul filler', 'Acme', 'Acme\u3164'],
  ['a variation selector', 'Acme', 'Acme\uFE0F'],
])('names that differ by %s only are one name', (_, one, other) => {
  expect(nameKey(one)).toBe(nameKey(other))
})

test.each([
  ['Acme', 'Acne'],
  ['Café', 'Cafe'],
  ['Zürich', 'Zurich'],
  ['Acme 1', 'Acme1'],
])('%s and %s are two names', (one, other) => {
  expect(nameKey(one)).not.toBe(nameKey(other))
})

test.each([
  ['Acme\u200B', 'Remove the invisible character U+200B after "Acme".'],
  ['\u202Eevil', 'Remove the invisible character U+202E at the start.'],
  ['a\u2066b', 'Remove the invisible character U+2066 after "a".'],
  ['a\u0007b', 'Remove the invisible character U+0007 after "a".'],
  ['Acme\u200D', 'Remove the invisible character U+200D after "Acme".'],
  ['a\u{E0041}', 'Remove the invisible character U+E0041 after "a".'],
  ['a\u3164', 'Remove the invisible character U+3164 after "a".'],
  ['a\uFE0F', 'Remove the invisible character U+FE0F after "a".'],
  ['a\uD800', 'Remove the invisible character U+D800 after "a".'],
])('the name %j is refused', (name, problem) => {
  expect(findNameProblem(name)).toBe(problem)
})

test.each([
  'Acme GmbH & Co. KG',
  'שלום',
  'شركة الأمل',
  'می\u200Cخواهم',
  'क्\u200Dष',
  'Caf\u00E9\u00A0: Paris',
  '👨\u200D👩\u200D👧 family',
  '❤\uFE0F care',
  '日本語　株式会社',
])('the name %s is accepted as it is', (name) => {
  expect(findNameProblem(normalizeName(name))).toBeUndefined()
  expect(normalizeName(name)).toBe(name)
})

test('names are stored composed, on one line, without blanks around them', () => {
  expect(normalizeName('Globex\r\nInc\t\u2028')).toBe('Globex Inc')
  expect(nameKey('Globex\nInc')).toBe(nameKey('globex inc'))
  expect(normalizeName(' Cafe\u0301 ')).toBe('Caf\u00E9')
})
