import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatLocal, parseLocal } from './local-date.ts'

const DEFAULT = 'MMM-DD-YYYY - HH:mm'
const moments = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 16))

test('a time is shown in the format, and read in it or as ISO', () => {
  expect(formatLocal('2026-11-24T09:41', DEFAULT)).toBe('Nov-24-2026 - 09:41')
  expect(formatLocal('2026-11-24', DEFAULT)).toBe('Nov-24-2026')
  for (const text of ['Nov-24-2026 - 09:41', '2026-11-24 09:41', '2026-11-24T09:41', ' 2026-11-24T09:41 '])
    expect(parseLocal(text, { format: DEFAULT, isDay: false })).toBe('2026-11-24T09:41')
  for (const text of ['Nov-24-2026', '2026-11-24'])
    expect(parseLocal(text, { format: DEFAULT, isDay: true })).toBe('2026-11-24')
})

test('text that is no date is kept, and is none', () => {
  for (const text of ['soon', '2026-02-30', 'Nov-24-2026 - 25:00', '24/11']) {
    expect(formatLocal(text, DEFAULT)).toBe(text)
    expect(parseLocal(text, { format: DEFAULT, isDay: false })).toBeUndefined()
  }
  expect(parseLocal('  ', { format: DEFAULT, isDay: false })).toBe('')
})

test.each([DEFAULT, 'DD.MM.YYYY HH:mm', 'YYYY-MM-DD, h:mm a', 'LLLL', 'ddd MMM D', 'HH:mm', ''])(
  'no format loses a time: %s',
  (format) => {
    fc.assert(
      fc.property(moments, (value) => {
        expect(parseLocal(formatLocal(value, format), { format, isDay: false })).toBe(value)
        const day = value.slice(0, 10)
        expect(parseLocal(formatLocal(day, format), { format, isDay: true })).toBe(day)
      }),
    )
  },
)
