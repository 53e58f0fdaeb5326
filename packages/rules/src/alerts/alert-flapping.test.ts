import { expect, test } from 'vitest'
import { judgeFlapping, type EarlierAlert } from './alert-state.ts'

const minute = (minutes: number) => new Date(Date.UTC(2026, 2, 1, 12) + minutes * 60_000).toISOString()
/** An alert of one minute. */
const one = (minutes: number, flapping = false): EarlierAlert => ({
  alert_time: minute(minutes),
  resolved_on: minute(minutes + 1),
  flapping,
})
const five = [0, 5, 10, 15, 20].map((minutes) => one(minutes))

test.each([
  ['the first alert', [], 0, 'no'],
  ['the fifth within an hour', five.slice(1), 25, 'no'],
  ['the sixth within an hour', five, 25, 'first'],
  ['the order does not matter', five.toReversed(), 25, 'first'],
  ['the sixth when the first was an hour ago', five, 60, 'no'],
  ['the sixth a moment before that', five, 59.99, 'first'],
  ['the one after the flapping one', [...five, one(25, true)], 30, 'again'],
  ['the one after that', [...five, one(25, true), one(30, true)], 35, 'again'],
  ['half an hour after the last change', [one(25, true)], 56, 'no'],
  ['a little before', [one(25, true)], 55, 'again'],
  [
    'after one that stayed for half an hour',
    [{ alert_time: minute(0), resolved_on: minute(31), flapping: true }],
    32,
    'no',
  ],
] as const)('%s', (_name, earlier, at, expected) => {
  expect(judgeFlapping(earlier, minute(at))).toBe(expected)
})
