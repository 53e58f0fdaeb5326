import { expect, test } from 'vitest'
import { bandsOf, valueRange } from './graph-options.ts'

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
  [70, null, false, [['warning', 70, Infinity]]],
  [null, 90, false, [['error', 90, Infinity]]],
  [
    25,
    10,
    true,
    [
      ['warning', 10, 25],
      ['error', -Infinity, 10],
    ],
  ],
  [25, null, true, [['warning', -Infinity, 25]]],
  [null, 0, false, [['error', 0, Infinity]]],
  [
    -15,
    0,
    false,
    [
      ['warning', -15, 0],
      ['error', 0, Infinity],
    ],
  ],
  [null, null, false, []],
] as const)('threshold bands of %s and %s, in reverse mode %s', (...given) => {
  const [warning_threshold, error_threshold, reverse, bands] = given
  const found = bandsOf({ warning_threshold, error_threshold, reverse })
  expect(found.map(({ severity, least, most }) => [severity, least, most])).toEqual(bands)
})

test.each([
  ['%', [20, 40], [70, 90], [0, 100]],
  ['%', [-12, 4], [-10], [-13.28, 5.28]],
  ['°C', [-20, -18], [-15], [-21.6, 1.6]],
  ['°C', [3, 4], [-5], [-5.72, 4.72]],
  ['jobs', [0, 50], [100], [0, 108]],
  ['jobs', [0, 0], [], [0, 1]],
] as const)('the axis of values in %s from %j with thresholds at %j', (unit, values, limits, range) => {
  const [low, high] = valueRange(unit, values, limits)
  expect([low, high].map((end) => Math.round(end * 100) / 100)).toEqual(range)
})
