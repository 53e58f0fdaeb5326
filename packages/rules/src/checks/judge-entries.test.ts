import { expect, test } from 'vitest'
import { judgeCheck } from './table.ts'

test.each([
  ['contains', 1, 0, true, 'passes', 'No matching entries in the last 1 h'],
  ['contains', 1, 1, true, 'info', '1 matching entry in the last 1 h, the newest: It failed.'],
  ['contains', 3, 2, true, 'passes', '2 matching entries in the last 1 h, the newest: It failed.'],
  ['contains', 3, 3, false, 'info', '3 matching entries in the last 1 h, the newest: It failed.'],
  ['contains', 3, 2, false, 'info', /^2 matching entries .* but only the newest part was read in time$/],
  ['not_contains', 1, 0, true, 'info', 'No matching entries in the last 1 h'],
  ['not_contains', 2, 2, true, 'passes', '2 matching entries in the last 1 h, the newest: It failed.'],
  ['not_contains', 2, 2, false, 'passes', /^2 matching/],
  ['not_contains', 2, 1, false, 'info', /was read in time$/],
] as const)('a log that fails when it %s %d entries: %d, completely read %s', (...given) => {
  const [fail_when, number_of_events_b4_alert, count, is_whole, expected, words] = given
  const check = {
    check_type: 'journal',
    search_last_minutes: 60,
    fail_when,
    number_of_events_b4_alert,
  } as const
  const entries = Array.from({ length: count }, () => ({ message: '\n It failed.\nagain' }))
  const measured = { check_type: 'journal', count, is_whole, entries } as const
  const found = judgeCheck({ ...check, alert_severity: 'info' }, measured)
  expect(found.severity ?? 'passes').toBe(expected)
  expect(found.more_info).toEqual(typeof words === 'string' ? words : expect.stringMatching(words))
})

test('the event log is searched by days', () => {
  const check = {
    check_type: 'eventlog',
    fail_when: 'contains',
    number_of_events_b4_alert: 1,
    alert_severity: 'error',
  } as const
  const measured = { check_type: 'eventlog', count: 0, is_whole: true, entries: [] } as const
  const words = (search_last_days: number) => judgeCheck({ ...check, search_last_days }, measured).more_info
  expect(words(7)).toBe('No matching entries in the last 7 d')
  expect(words(0)).toBe('No matching entries in the whole log')
})
