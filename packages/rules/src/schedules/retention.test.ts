import { expect, test } from 'vitest'
import { DEFAULT_RETENTION, findRetentionProblems } from './retention.ts'

test.each([
  [7, 90, 730, {}],
  [1, 1, 1, {}],
  [91, 90, 730, { check_history_5min_prune_days: 'Use at least 91 days, as for raw samples.' }],
  [2, 1, 1, { check_history_5min_prune_days: 'Use at least 2 days, as for raw samples.' }],
  [1, 1, 0, { check_history_hourly_prune_days: 'Use at least 1 day, as for 5-minute averages.' }],
])('%i, %i and %i days', (raw, minutes, hours, expected) => {
  expect(
    findRetentionProblems({
      check_history_prune_days: raw,
      check_history_5min_prune_days: minutes,
      check_history_hourly_prune_days: hours,
    }),
  ).toEqual(expected)
})

test('the defaults are valid', () => {
  expect(findRetentionProblems(DEFAULT_RETENTION)).toEqual({})
})
