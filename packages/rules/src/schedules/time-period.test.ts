import { expect, test, vi } from 'vitest'
import { parseTimePeriod } from './task-schedule.ts'

test.each([
  ['30s', 30],
  ['5m', 300],
  ['12h', 43_200],
  ['1d', 86_400],
  ['7S', 7],
  ['2M', 120],
  ['3H', 10_800],
  ['4D', 345_600],
  ['999d', 86_313_600],
  ['0s', 0],
  ['007m', 420],
])('time period: %s is %d seconds', (text, seconds) => {
  const messages: string[] = []
  expect(parseTimePeriod(text, (message) => messages.push(message))).toBe(seconds)
  expect(messages).toEqual([])
})

test.each([
  '',
  's',
  '10',
  '1000s',
  '5 m',
  ' 5m',
  '5m ',
  '5m\n',
  '-5m',
  '1.5h',
  '5w',
  '5mm',
  '٥m',
  'constructor',
])('an invalid time period is logged and gives 0: %j', (text) => {
  const messages: string[] = []
  expect(parseTimePeriod(text, (message) => messages.push(message))).toBe(0)
  expect(messages).toEqual(['Time Period is invalid'])
})

test('without a callback the invalid period is logged as an error', () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  expect(parseTimePeriod('soon')).toBe(0)
  expect(log.mock.calls).toEqual([['Time Period is invalid']])
  log.mockRestore()
})
