import { expect, test } from 'vitest'
import { Problems } from '../status-file.ts'
import { ClockOffset } from './clock-offset.ts'

const HOUR = 3_600_000
const NOON = Date.parse('2026-06-01T12:00:00Z')

test.each([
  ['both clocks are right', { machineAhead: 0, passed: HOUR, setBy: 0 }],
  ['the clock is a day ahead', { machineAhead: 24 * HOUR, passed: 5 * HOUR, setBy: 0 }],
  ['the clock is set right meanwhile', { machineAhead: 3 * HOUR, passed: HOUR, setBy: -3 * HOUR }],
  ['the clock jumps by a year', { machineAhead: 0, passed: 48 * HOUR, setBy: 365 * 24 * HOUR }],
  ['the clock jumps back', { machineAhead: 1000, passed: 7 * 24 * HOUR, setBy: -HOUR }],
])("the time of a measurement is the server's when %s", (_, { machineAhead, passed, setBy }) => {
  let upMs = 1000
  const clock = new ClockOffset(new Problems(), () => upMs)
  clock.learn(NOON, NOON + machineAhead)
  upMs += passed
  expect(clock.correct(NOON + machineAhead + passed + setBy)).toBe(NOON + passed)
})

test('without a server time, nothing is corrected', () => {
  expect(new ClockOffset(new Problems()).correct(NOON)).toBe(NOON)
})
