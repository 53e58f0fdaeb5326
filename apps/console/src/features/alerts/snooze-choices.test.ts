import { expect, test } from 'vitest'
import { checkSnooze, fromLocalText, listSnoozeChoices, toLocalText } from './snooze-choices.ts'

const NOW = new Date(2026, 10, 21, 16, 40, 12).getTime()

test('the first choice is the next reminder', () => {
  expect(listSnoozeChoices(NOW).map(({ value, untilMs }) => [value, toLocalText(untilMs)])).toEqual([
    ['reminder', '2026-11-21T17:35'],
    ['hour', '2026-11-21T17:40'],
    ['tomorrow', '2026-11-22T08:00'],
    ['day', '2026-11-22T16:40'],
    ['week', '2026-11-28T16:40'],
  ])
})

test('a local date and time parses, other texts do not', () => {
  expect(fromLocalText('2026-11-21T17:35')).toBe(new Date(2026, 10, 21, 17, 35).getTime())
  for (const text of ['', '2026-11-21', 'tomorrow', '2026-13-45T99:99'])
    expect(fromLocalText(text)).toBeUndefined()
})

test("a snooze ends in the future, within the server's limit", () => {
  expect(checkSnooze(undefined, NOW)).toBe('Enter a date and a time.')
  expect(checkSnooze(NOW - 1, NOW)).toBe('Choose a time in the future.')
  expect(checkSnooze(NOW + 60_000, NOW)).toBeUndefined()
  expect(checkSnooze(NOW + 9999 * 86_400_000, NOW)).toBe('At most 9998 days.')
})
