import { expect, test } from 'vitest'
import { formatDate } from '../../ui/layout/date-format.ts'
import { forecastOf, withForecast } from './graph-forecast.ts'

const DAY = 86_400
const NOW = Date.parse('2026-11-24T09:00:00.000Z') / 1000
/** Two percent less each day. */
const falling = (free: number) =>
  Array.from({ length: 8 * 24 }, (_, index) => {
    const hoursAgo = 8 * 24 - 1 - index
    return [NOW - hoursAgo * 3600, free + hoursAgo / 12] as const
  })
const LIMITS = { warning_threshold: 15, error_threshold: 10 }

test('the line goes to the next threshold below the value, and then until the disk is full', () => {
  const inDays = (days: number) => formatDate(NOW + days * DAY, 'ddd, MMM D')
  expect(forecastOf({ points: falling(21), now: NOW }, LIMITS)?.label).toBe(`warning on ${inDays(3)}`)
  expect(forecastOf({ points: falling(14), now: NOW }, LIMITS)?.label).toBe(`error on ${inDays(2)}`)
  expect(forecastOf({ points: falling(4), now: NOW }, LIMITS)?.label).toBe(`full on ${inDays(2)}`)
  expect(forecastOf({ points: falling(4), now: NOW }, undefined)?.to[1]).toBe(0)
})

test('without a trend there is no line', () => {
  expect(forecastOf({ points: [], now: NOW }, LIMITS)).toBeUndefined()
  expect(forecastOf({ points: falling(21).slice(-3), now: NOW }, LIMITS)).toBeUndefined()
  expect(
    forecastOf({ points: falling(90), now: NOW }, { warning_threshold: null, error_threshold: null }),
  ).toBeUndefined()
})

test('the range grows by the future, up to the part that the past leaves readable', () => {
  const range = { from: NOW - DAY, to: NOW }
  const to = (days: number) => ({
    from: [NOW, 4] as const,
    to: [NOW + days * DAY, 0] as const,
    severity: 'error' as const,
    label: '',
  })
  expect(withForecast(range, undefined)).toEqual(range)
  expect(withForecast(range, to(0.25)).to).toBe(NOW + 0.25 * DAY)
  expect(withForecast(range, to(20)).to).toBe(NOW + 0.6 * DAY)
})
