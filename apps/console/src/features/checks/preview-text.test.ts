import { expect, test } from 'vitest'
import { describePreview } from './preview-text.ts'

const DAY = 86_400

test.each([
  [30 * DAY, 4, 7800, 0, 'Last 30 days: 4 alerts, 2 h 10 min in error'],
  [30 * DAY, 1, 0, 60, 'Last 30 days: 1 alert, 1 min in warning'],
  [30 * DAY, 0, 0, 0, 'Last 30 days: no alerts'],
  [90, 2, 60, 60, 'Last 2 min: 2 alerts, 1 min in error, 1 min in warning'],
])('in %d s %d alerts, %d s in error and %d s in warning', (...given) => {
  const [seconds, alerts, errorSeconds, warningSeconds, words] = given
  expect(describePreview({ alerts, errorSeconds, warningSeconds }, seconds, false)).toBe(words)
})
