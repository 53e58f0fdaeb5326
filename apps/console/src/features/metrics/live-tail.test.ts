import { expect, test } from 'vitest'
import { addSamples, withTail } from './live-tail.ts'

const sample = (at: number, cpu: number) => ({ at, values: { cpu } })

test('samples are kept in order, each once, for five minutes', () => {
  const first = addSamples([], [sample(10, 1), sample(11, 2)])
  expect(addSamples(first, [sample(11, 9), sample(12, 3)])).toEqual([
    sample(10, 1),
    sample(11, 2),
    sample(12, 3),
  ])
  expect(addSamples(first, [sample(1000, 4)])).toEqual([sample(1000, 4)])
})

test('a graph moves on with the last value, and a new metric has its unit', () => {
  const metrics = {
    resolution: 0,
    range: { from: 100, to: 400 },
    series: [{ name: 'cpu', unit: '%', points: [[100, 1, 1, 1], [400, 2, 2, 2]] as [number, number, number, number][] }],
  } // prettier-ignore
  const shown = withTail(metrics, [
    { at: 380.5, values: { cpu: 7 } },
    { at: 402.2, values: { cpu: 8, net_in: 5 } },
  ])
  expect(shown.range).toEqual({ from: 103, to: 403 })
  expect(shown.series).toEqual([
    { name: 'cpu', unit: '%', points: [[380.5, 7, 7, 7], [400, 2, 2, 2], [402.2, 8, 8, 8]] },
    { name: 'net_in', unit: 'B/s', points: [[402.2, 5, 5, 5]] },
  ]) // prettier-ignore
  expect(withTail(metrics, [])).toBe(metrics)
})
