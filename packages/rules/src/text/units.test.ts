import { expect, test } from 'vitest'
import { formatAge, formatRelativeTime } from './units.ts'

const now = Date.parse('2026-11-21T09:00:00.000Z')
const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

test.each([
  [0, '0 seconds ago'],
  [1, '1 second ago'],
  [59, '59 seconds ago'],
  [59.6, '1 minute ago'],
  [60, '1 minute ago'],
  [89, '1 minute ago'],
  [90, '2 minutes ago'],
  [59 * MINUTE, '59 minutes ago'],
  [59.7 * MINUTE, '1 hour ago'],
  [HOUR, '1 hour ago'],
  [23 * HOUR, '23 hours ago'],
  [24 * HOUR, '1 day ago'],
  [29 * DAY, '29 days ago'],
  [30 * DAY, '1 month ago'],
  [45 * DAY, '2 months ago'],
  [364 * DAY, '12 months ago'],
  [365 * DAY, '1 year ago'],
  [730 * DAY, '2 years ago'],
  [-0.2, '0 seconds ago'],
  [-1, 'in 1 second'],
  [-5 * MINUTE, 'in 5 minutes'],
  [-HOUR, 'in 1 hour'],
  [-365 * DAY, 'in 1 year'],
])('%d seconds are shown as %s', (secondsAgo, text) => {
  const instantMs = now - secondsAgo * 1000
  expect(formatRelativeTime(instantMs, now)).toBe(text)
  expect(formatRelativeTime(instantMs / 1000, now)).toBe(text)
  expect(formatRelativeTime(new Date(instantMs).toISOString(), now)).toBe(text)
})

test('an ISO instant in another zone', () => {
  expect(formatRelativeTime('2026-11-21T13:30:00+05:30', now)).toBe('1 hour ago')
})

test.each(['', 'soon', NaN, Infinity, null, undefined])('%j prints nothing', (instant) => {
  expect(formatRelativeTime(instant, now)).toBe('')
})

test.each([
  [60_000, '1 minute'],
  [57 * 60_000, '57 minutes'],
  [DAY * 1000, '1 day'],
])('%d ms are %s', (ms, text) => {
  expect(formatAge(ms)).toBe(text)
})
