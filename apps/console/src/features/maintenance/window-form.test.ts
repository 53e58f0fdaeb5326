import { expect, test } from 'vitest'
import { describeLength, describeSchedule } from './schedule-labels.ts'
import { testWindow } from './test-windows.ts'
import { type WindowForm, checkForm, newForm, readForm, toSchedule } from './window-form.ts'
import { readTarget } from './window-state.ts'
import { describeMaintenance, describeState, findWindowOn, sortWindows } from './window-state.ts'

const ZONE = 'Europe/Zurich'
const NOW = Date.parse('2026-11-21T16:40:20Z')
const form = (change: Partial<WindowForm> = {}): WindowForm => ({
  ...newForm(['site-1'], ZONE, NOW),
  ...change,
})
const { schedule } = testWindow()

test('a window that starts now ends at the next reminder, to the minute', () => {
  const reminder = form({ now_until: '2026-11-21T18:35' })
  expect(toSchedule(reminder, ZONE, NOW)).toMatchObject({
    starts: '2026-11-21T17:40',
    minutes: 55,
    recurs: 'once',
  })
  expect(form().now_until).toMatch(/T\d\d:35$/)
  expect(checkForm(form(), ZONE, NOW)).toEqual({})
  expect(toSchedule(form({ open: true }), ZONE, NOW)?.minutes).toBeNull()
})

test.each<[string, Partial<WindowForm>, string]>([
  ['nothing is covered', { targets: [] }, 'targets'],
  ['the end has passed', { now_until: '2026-11-21T17:00' }, 'now_until'],
  ['the end is no time', { now_until: '' }, 'now_until'],
  ['no day', { when: 'once', date: '' }, 'date'],
  ['no time', { when: 'once', time: '' }, 'time'],
  ['no length', { when: 'daily', length: '' }, 'length'],
  ['a length of none', { when: 'daily', length: 0 }, 'length'],
  ['longer than a day, every day', { when: 'daily', length: 25 }, 'length'],
  ['a week without days', { when: 'weekly', weekdays: [] }, 'weekdays'],
  ['a month without days', { when: 'monthly', month_days: '' }, 'month_days'],
  ['a 40th', { when: 'monthly', month_days: '1, 40' }, 'month_days'],
  ['an end before it begins', { when: 'daily', until: '2020-01-01T00:00' }, 'until'],
])('%s: said at its field', (_name, change, field) => {
  expect(Object.keys(checkForm(form(change), ZONE, NOW))).toEqual([field])
})

test.each([
  [schedule],
  [{ ...schedule, recurs: 'monthly' as const, weekdays: [], month_days: [1, -1], minutes: 90 }],
  [{ ...schedule, recurs: 'daily' as const, weekdays: [], minutes: 1440, until: '2027-01-01T00:00' }],
  [{ ...schedule, recurs: 'once' as const, weekdays: [], minutes: null }],
])('a window comes out of its form as it went in', (given) => {
  expect(toSchedule(readForm(testWindow({ schedule: given }), NOW), ZONE, NOW)).toEqual(given)
})

test.each([
  [schedule, 'Every Sunday at 02:00 for 2 hours (Europe/Zurich)'],
  [{ ...schedule, weekdays: [5, 1, 2, 3, 4] }, 'Monday to Friday at 02:00 for 2 hours (Europe/Zurich)'],
  [
    { ...schedule, weekdays: [0, 6, 1] },
    'Every Monday, Saturday and Sunday at 02:00 for 2 hours (Europe/Zurich)',
  ],
  [
    { ...schedule, recurs: 'monthly' as const, month_days: [-1, 22, 1, 13] },
    'On the 1st, the 13th, the 22nd and the last day of every month at 02:00 for 2 hours (Europe/Zurich)',
  ],
  [{ ...schedule, recurs: 'once' as const, minutes: null }, 'Once, with no end time'],
])('a schedule in words', (given, words) => {
  expect(describeSchedule(given)).toBe(words)
})

test.each([
  [1, '1 minute'],
  [90, '1 hour 30 minutes'],
  [1440, '1 day'],
  [3000, '2 days 2 hours'],
])('%d minutes are %s', (minutes, words) => {
  expect(describeLength(minutes)).toBe(words)
})

test.each([
  ['client-3', { type: 'client', id: 3 }],
  ['agent-abcdefgh12', { type: 'agent', id: 'abcdefgh12' }],
  ['site-x', undefined],
  ['planet-3', undefined],
  ['<img>', undefined],
])('%s in the address', (text, target) => {
  expect(readTarget(text)).toEqual(target)
})

test('of several windows that are on the longest counts, and only those that cover it', () => {
  const on = (id: number, active_until: string | null, siteId = 1) =>
    testWindow({
      id,
      active: true,
      active_until,
      targets: [{ type: 'site', id: siteId, name: 'Acme, Berlin' }],
    })
  const windows = [on(1, '2026-11-22T01:00:00.000Z'), on(2, '2026-11-22T03:00:00.000Z'), on(3, null, 9)]
  expect(findWindowOn(windows, { siteIds: [1], clientId: 5 })?.id).toBe(2)
  expect(findWindowOn(windows, { siteIds: [9], clientId: 5 })?.id).toBe(3)
  expect(findWindowOn(windows, { siteIds: [4], clientId: 5 })).toBeUndefined()
  const format = (instant: string) => instant.slice(11, 16)
  expect(describeMaintenance(windows[1], format)).toBe('In maintenance until 03:00: New disks')
  expect(describeMaintenance(undefined, format)).toMatch(/with no end time/)
  const over = testWindow({ id: 4, next_start: null })
  expect(sortWindows([over, testWindow({ id: 5 }), on(6, null)]).map(({ id }) => id)).toEqual([6, 5, 4])
  expect(describeState(over, format)).toBe('Ended')
})
