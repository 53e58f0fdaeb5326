import { expect, test } from 'vitest'
import { formatDuration } from './units.ts'

test.each([
  [0, '0 s'],
  [0.0001, '0 s'],
  [0.08, '80 ms'],
  [0.9994, '999 ms'],
  [0.9996, '1 s'],
  [1, '1 s'],
  [1.54, '1.5 s'],
  [9.94, '9.9 s'],
  [9.96, '10 s'],
  [59.4, '59 s'],
  [59.6, '1 min'],
  [61, '1 min 1 s'],
  [3599.7, '1 h'],
  [3600, '1 h'],
  [7800, '2 h 10 min'],
  [7829, '2 h 10 min'],
  [86_399, '1 d'],
  [86_400, '1 d'],
  [97_200, '1 d 3 h'],
  [40_000_000, '462 d 23 h'],
  [-1, ''],
  [NaN, ''],
  [Infinity, ''],
])('a duration of %d seconds is shown as %j', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})
