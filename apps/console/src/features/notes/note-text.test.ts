import { expect, test } from 'vitest'
import { countLabel, excerptOf } from './note-text.ts'

test.each([
  ['Disk D: is a spare.', 'Disk D: is a spare.'],
  ['  two\n\nlines ', 'two lines'],
  ['x'.repeat(140), 'x'.repeat(140)],
  ['x'.repeat(141), `${'x'.repeat(140)} …`],
  ['😀'.repeat(140), '😀'.repeat(140)],
  ['😀'.repeat(200), `${'😀'.repeat(140)} …`],
])('%j is shown on one line', (note, excerpt) => {
  expect(excerptOf(note)).toBe(excerpt)
})

test('one note is not "1 notes"', () => {
  expect([countLabel(1), countLabel(2)]).toEqual(['1 note', '2 notes'])
})
