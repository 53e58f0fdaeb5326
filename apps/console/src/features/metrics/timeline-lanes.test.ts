import { expect, test } from 'vitest'
import { lanesOf, positionOf, ticksOf } from './timeline-lanes.ts'

const entry = (kind: 'check' | 'run' | 'reboot', from: number) => ({
  kind,
  from,
  to: from,
  text: '',
  severity: null,
  by: '',
  id: null,
})

test('a lane for each kind that occurs, troubles first', () => {
  const lanes = lanesOf([entry('run', 1), entry('reboot', 2), entry('check', 3), entry('run', 4)])
  expect(lanes.map(({ kind, entries }) => [kind, entries.length])).toEqual([
    ['check', 1],
    ['reboot', 1],
    ['run', 2],
  ])
})

test('entries lie where the graphs have their time, cut to the range', () => {
  const range = { from: 1000, to: 2000 }
  expect(positionOf({ from: 1250, to: 1500 }, range)).toEqual({ left: 25, width: 25 })
  expect(positionOf({ from: 0, to: 1100 }, range)).toEqual({ left: 0, width: 10 })
  expect(positionOf({ from: 1900, to: null }, range)).toEqual({ left: 90, width: 10 })
  expect(positionOf({ from: 1400, to: 1400 }, range)).toEqual({ left: 40, width: 0 })
})

test.each([
  ['an hour', 3600],
  ['a day', 86_400],
  ['90 days', 90 * 86_400],
])('the axis of %s has a few round moments', (_, seconds) => {
  const to = Date.parse('2026-11-21T12:34:56.000Z') / 1000
  const ticks = ticksOf({ from: to - seconds, to })
  expect(ticks.length).toBeGreaterThan(2)
  expect(ticks.length).toBeLessThan(10)
  for (const { at } of ticks) expect(at % 60).toBe(0)
})
