import { expect, test } from 'vitest'
import { diskRange } from './graph-options.ts'

const rounded = (range: readonly number[]) => range.map((value) => Math.round(value * 100) / 100)

test.each<[string, [number, number], number[], number | undefined, [number, number]]>([
  ['a disk that moves little fills a third of the plot', [71.2, 71.9], [20, 10], undefined, [70.55, 72.55]],
  ['a disk that does not move is in the middle', [50, 50], [20, 10], undefined, [49, 51]],
  ['large changes have a margin', [40, 60], [], undefined, [38, 62]],
  ['a threshold near the values is shown, another is not', [22, 24], [20, 10], undefined, [19.6, 24.4]],
  ['a threshold above failing values is shown', [7, 8], [0, 10], undefined, [6.7, 10.3]],
  ['a threshold of 0 is off', [2, 3], [0, 0], undefined, [1.5, 3.5]],
  ['the end of a forecast is shown', [30, 40], [20, 10], 20, [18, 42]],
  ['the axis ends at 0 and 100', [0.5, 99.9], [20, 10], 0, [0, 100]],
])('%s', (_name, extent, limits, forecastEnd, range) => {
  expect(rounded(diskRange(extent, limits, forecastEnd))).toEqual(range)
})

test('without values the whole scale is shown', () => {
  expect(diskRange([null, null], [20, 10], undefined)).toEqual([0, 100])
})
