import { expect, test } from 'vitest'
import { nextReminderAt, REMINDER_MINUTE } from './reminder.ts'

const local = (hour: number, minute: number, second = 0, ms = 0) =>
  new Date(2026, 10, 21, hour, minute, second, ms).getTime()

test.each([
  ['09:00', local(9, 0), local(9, 35)],
  ['09:34:59.999', local(9, 34, 59, 999), local(9, 35)],
  ['09:35 sharp', local(9, 35), local(10, 35)],
  ['09:35:00.001', local(9, 35, 0, 1), local(10, 35)],
  ['09:36', local(9, 36), local(10, 35)],
  ['23:59', local(23, 59), local(24, 35)],
])('the reminder default at %s is the next :35, strictly in the future', (_now, nowMs, expected) => {
  expect(nextReminderAt(nowMs)).toBe(expected)
})

test('the reminder minute is 35', () => {
  expect(REMINDER_MINUTE).toBe(35)
})
