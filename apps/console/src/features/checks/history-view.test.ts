import { describe, expect, test } from 'vitest'
import { panRange, stepTo, toColumns, zoomRange, usualStep } from './graph-data.ts'
import { readView, writeView } from './history-view.ts'

describe('address', () => {
  const cases = [
    [undefined, { range: '24h', series: undefined, asTable: false }],
    ['7d', { range: '7d', series: undefined, asTable: false }],
    ['100-200,metric:queue', { range: { from: 100, to: 200 }, series: 'metric:queue', asTable: false }],
    ['24h,,table', { range: '24h', series: undefined, asTable: true }],
  ] as const
  test.each(cases)('%s', (text, view) => {
    expect(readView(text)).toEqual(view)
    expect(writeView(view)).toBe(text)
  })

  test.each(['', 'forever', '200-100', 'a-b', ',,'])('%j counts as nothing', (text) => {
    expect(readView(text).range).toBe('24h')
  })
})

describe('points', () => {
  test('a series with a long interval has no gaps', () => {
    const points = [0, 600, 1200, 1800, 9000].map((at): [number, number, number, number] => [at, 1, 1, 1])
    expect(usualStep(points, 60)).toBe(600)
    expect(usualStep(points.slice(0, 1), 60)).toBe(60)
    expect(usualStep([], 60)).toBe(60)
    expect(toColumns(points, usualStep(points, 60))[1]).toEqual([1, 1, 1, 1, null, 1])
  })

  const point = (at: number, value: number) => [at, value, value, value] as const

  test('a silence is a gap', () => {
    expect(toColumns([point(0, 1), point(60, 2), point(600, 3)], 60)).toEqual([
      [0, 60, 120, 600],
      [1, 2, null, 3],
      [1, 2, null, 3],
      [1, 2, null, 3],
    ])
  })

  test('a late run is no gap', () => {
    expect(toColumns([point(0, 1), point(130, 2)], 60)[1]).toEqual([1, 2])
  })

  test('walking steps over gaps and stops at the ends', () => {
    const columns = toColumns([point(0, 1), point(600, 3)], 60)
    expect(stepTo({ columns, from: 0, by: 1 })).toBe(2)
    expect(stepTo({ columns, from: 2, by: -1 })).toBe(0)
    expect(stepTo({ columns, from: 2, by: 10 })).toBe(2)
  })

  test('moving keeps the width, and ends at this moment and at the beginning of time', () => {
    expect(panRange({ from: 1000, to: 1400 }, -0.25, 5000)).toEqual({ from: 900, to: 1300 })
    expect(panRange({ from: 1000, to: 1400 }, 1, 1500)).toEqual({ from: 1100, to: 1500 })
    expect(panRange({ from: 1000, to: 1400 }, 1, 1200)).toEqual({ from: 1000, to: 1400 })
    expect(panRange({ from: 100, to: 500 }, -1, 5000)).toEqual({ from: 0, to: 400 })
  })

  test('zooming keeps its moment in place, and ends at a minute', () => {
    expect(zoomRange({ from: 0, to: 1000 }, 500, 0.5)).toEqual({ from: 250, to: 750 })
    expect(zoomRange({ from: 1000, to: 2000 }, 1000, 2)).toEqual({ from: 1000, to: 3000 })
    expect(zoomRange({ from: 0, to: 100 }, 0, 0.1)).toEqual({ from: 0, to: 60 })
  })
})
