import { expect, test } from 'vitest'
import { bandsOf } from './graph-options.ts'

test.each([
  [
    70,
    90,
    false,
    [
      ['warning', 70, 90],
      ['error', 90, Infinity],
    ],
  ],
  [70, 0, false, [['warning', 70, Infinity]]],
  [0, 90, false, [['error', 90, Infinity]]],
  [
    25,
    10,
    true,
    [
      ['warning', 10, 25],
      ['error', -Infinity, 10],
    ],
  ],
  [25, 0, true, [['warning', -Infinity, 25]]],
  [0, 0, false, []],
] as const)('threshold bands of %d and %d, in reverse mode %s', (...given) => {
  const [warning_threshold, error_threshold, reverse, bands] = given
  const found = bandsOf({ warning_threshold, error_threshold, reverse })
  expect(found.map(({ severity, least, most }) => [severity, least, most])).toEqual(bands)
})
