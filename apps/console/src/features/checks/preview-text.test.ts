import { expect, test } from 'vitest'
import { describePreview, describeThresholds } from './preview-text.ts'

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

test.each([
  [70, 90, 5, 120, 'Warns after 10 min above 70 %, fails after 10 min above 90 %.'],
  [70, '', 1, 120, 'Warns above 70 %.'],
  [0, 90, 3, null, 'Fails after 3 results in a row above 90 %.'],
  ['', '', 1, 120, ''],
])('thresholds %s and %s, %d failures every %s s', (...given) => {
  const [warning_threshold, error_threshold, fails_b4_alert, usualInterval, words] = given
  const form = { warning_threshold, error_threshold, fails_b4_alert, run_interval: '' }
  expect(describeThresholds(form, { unit: '%', reverse: false, usualInterval })).toBe(words)
  const often = { ...form, run_interval: 60 }
  expect(describeThresholds(often, { unit: 'GB', reverse: true, usualInterval })).toBe(
    words
      .replaceAll('10 min', '5 min')
      .replace('3 results in a row', '3 min')
      .replaceAll('above', 'below')
      .replaceAll('%', 'GB'),
  )
})
