import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DiskPoint, forecastFull, forecastReached, forecastTone } from './disk-forecast.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const NOW = Date.parse('2026-11-24T09:00:00.000Z') / 1000

/** Hourly values of the last days. */
const history = (days: number, used: (hoursAgo: number) => number): DiskPoint[] =>
  Array.from({ length: days * 24 + 1 }, (_, index) => {
    const hoursAgo = days * 24 - index
    return [NOW - hoursAgo * HOUR, used(hoursAgo)]
  })
const growing = (perDay: number, now: number, days = 30) =>
  history(days, (hoursAgo) => now - (perDay * hoursAgo) / 24)

const rate = fc.double({ min: 0.5, max: 5, noNaN: true })
const level = fc.double({ min: 60, max: 99, noNaN: true })

test('a disk that grows evenly is full when the line reaches 100 percent', () => {
  fc.assert(
    fc.property(rate, level, (perDay, now) => {
      const days = (100 - now) / perDay
      const fullAt = forecastFull(growing(perDay, now, 10), NOW)
      if (days > 30.001) expect(fullAt).toBeUndefined()
      else if (days < 29.999) expect(fullAt).toBeCloseTo(NOW + days * DAY, -2)
    }),
  )
})

test('a lower limit is reached earlier, and one that is exceeded is reached now', () => {
  const points = growing(2, 80, 10)
  expect(forecastReached(points, 90, NOW)).toBeCloseTo(NOW + 5 * DAY, -2)
  expect(forecastReached(points, 70, NOW)).toBe(NOW)
})

test('a forecast is never in the past, nor later than 30 days', () => {
  const values = fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(values, (used) => {
      const fullAt = forecastFull(
        used.map((value, index): DiskPoint => [NOW - (used.length - 1 - index) * HOUR, value]),
        NOW,
      )
      if (fullAt === undefined) return
      expect(fullAt).toBeGreaterThanOrEqual(NOW)
      expect(fullAt).toBeLessThanOrEqual(NOW + 30 * DAY)
    }),
  )
})

test('a fuller disk with the same growth is never full later', () => {
  fc.assert(
    fc.property(rate, level, fc.double({ min: 0, max: 1, noNaN: true }), (perDay, now, more) => {
      const [earlier, later] = [growing(perDay, now + more, 10), growing(perDay, now, 10)]
      const limit = forecastFull(later, NOW)
      if (limit !== undefined) expect(forecastFull(earlier, NOW)).toBeLessThanOrEqual(limit)
    }),
  )
})

test('a disk that does not grow has no forecast', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 5, noNaN: true }), level, (perDay, now) => {
      expect(forecastFull(growing(-perDay, now, 10), NOW)).toBeUndefined()
    }),
  )
})

test.each([
  ['one copied file is not a trend', history(10, (hoursAgo) => (hoursAgo > 40 ? 70 : 90))],
  ['nor is a file that came and went', history(10, (hoursAgo) => (hoursAgo > 30 && hoursAgo < 60 ? 95 : 60))],
  ['one day of history is too short', growing(3, 95, 1)],
  ['the last value is days old', growing(3, 95).slice(0, -60)],
  ['no history', []],
])('%s', (_, points) => {
  expect(forecastFull(points, NOW)).toBeUndefined()
})

test('a disk that began to fill five days ago is full by its new speed', () => {
  const points = history(30, (hoursAgo) => 90 - (Math.min(hoursAgo, 120) * 2) / 24)
  expect(forecastFull(points, NOW)).toBeCloseTo(NOW + 5 * DAY, -5)
})

test.each([
  [6.9, 'negative'],
  [7.1, 'warning'],
  [20.9, 'warning'],
  [21.1, undefined],
] as const)('full in %d days: %s', (days, tone) => {
  expect(forecastTone(NOW + days * DAY, NOW)).toBe(tone)
})
