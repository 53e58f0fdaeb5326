import { expect, test } from 'vitest'
import { formatAge, formatSeconds } from './format-seconds.ts'

test.each([
  [0.2, '1 ms'],
  [4.4, '4 ms'],
  [94, '94 ms'],
  [95, '0.1 s'],
  [412, '0.4 s'],
  [9_949, '9.9 s'],
  [12_300, '12 s'],
])('%d ms are shown as %s', (ms, expected) => {
  expect(formatSeconds(ms)).toBe(expected)
})

test.each([
  [-50, '0 seconds'],
  [1_000, '1 second'],
  [59_400, '59 seconds'],
  [60_000, '1 minute'],
  [3_599_000, '59 minutes'],
  [7_300_000, '2 hours'],
])('%d ms are the age %s', (ms, expected) => {
  expect(formatAge(ms)).toBe(expected)
})
