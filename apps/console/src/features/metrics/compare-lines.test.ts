import { expect, test } from 'vitest'
import { compareTable, joinLines, listPoints, nearestPoint } from './compare-lines.ts'

const line = (hostname: string, ...points: [number, number][]) => ({
  agent_id: `${hostname}00000000`,
  hostname,
  check: null,
  resolution: 0,
  points: points.map(([at, value]): [number, number, number, number] => [at, value, value, value]),
})

test('lines that were measured at other seconds share one axis, and a silence of one is a gap of one', () => {
  const data = joinLines([line('a', [0, 1], [60, 2], [900, 3]), line('b', [30, 5], [90, 6])])
  expect(data[0]).toEqual([0, 30, 60, 90, 180, 900])
  expect(data[1]).toEqual([1, undefined, 2, null, null, 3].map((value) => value))
  expect(data[2]?.slice(0, 4)).toEqual([undefined, 5, undefined, 6])
  expect(joinLines([])).toEqual([[]])
})

test('a line shows its nearest value, unless that is too old', () => {
  const { points } = line('a', [0, 1], [60, 2], [120, 3])
  expect(nearestPoint(points, 70, 120)?.[1]).toBe(2)
  expect(nearestPoint(points, 100, 120)?.[1]).toBe(3)
  expect(nearestPoint(points, 230, 120)?.[1]).toBe(3)
  expect(nearestPoint(points, 900, 120)).toBeUndefined()
  expect(nearestPoint([], 0, 120)).toBeUndefined()
})

test('all numbers as a list, newest first, and as a file, oldest first', () => {
  const lines = [line('a', [0, 1], [60, 2]), line('b', [30, 5])]
  expect(listPoints(lines).map(({ hostname, point }) => [hostname, point[0]])).toEqual([
    ['a', 60],
    ['b', 30],
    ['a', 0],
  ])
  expect(compareTable({ lines, unit: '%' }, 'Processor').slice(0, 2)).toEqual([
    ['Time', 'Machine', 'Measurement', 'Unit', 'Value', 'Minimum', 'Maximum'],
    ['1970-01-01T00:00:00.000Z', 'a', 'Processor', '%', 1, 1, 1],
  ])
})
