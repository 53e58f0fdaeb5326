import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findTaskProblem } from './task-problems.ts'
import { endOfRepetition, isTaskOver, nextTaskRun, nextTaskRuns, type TaskTimes } from './task-schedule.ts'
import { describeTask } from './task-text.ts'
import { wallClockAt } from './zone-time.ts'

const ZURICH = 'Europe/Zurich'
const NEW_YORK = 'America/New_York'
const LORD_HOWE = 'Australia/Lord_Howe'
const SANTIAGO = 'America/Santiago'
const CHATHAM = 'Pacific/Chatham'
const ZONES = [ZURICH, NEW_YORK, LORD_HOWE, SANTIAGO, CHATHAM]
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ALL_MONTHS = 4095

function times(given: Partial<TaskTimes>): TaskTimes {
  return {
    task_type: 'daily',
    run_time_date: '2026-01-01T02:00',
    expire_date: null,
    daily_interval: 1,
    weekly_interval: 1,
    run_time_bit_weekdays: null,
    monthly_days_of_month: null,
    monthly_months_of_year: ALL_MONTHS,
    monthly_weeks_of_month: null,
    cron_expression: null,
    task_repetition_interval: null,
    task_repetition_duration: null,
    ...given,
  }
}

const runsAfter = (task: Partial<TaskTimes>, zone: string, after: string, count: number) =>
  nextTaskRuns(times(task), zone, Date.parse(after), count).map((ms) =>
    new Date(ms).toISOString().slice(5, 16),
  )
const cron = (cron_expression: string): Partial<TaskTimes> => ({
  task_type: 'cron',
  run_time_date: null,
  cron_expression,
})

// Day before, day of the change, day after. A skipped time runs at the first moment after the gap, a repeated time
// runs at the first of both; a cron expression with a fixed hour does the same.
const CHANGES: [zone: string, time: string, day: string, runs: string[]][] = [
  // Clocks go from 02:00 to 03:00.
  [ZURICH, '02:30', '2026-03-28', ['03-28T01:30', '03-29T01:00', '03-30T00:30']],
  [ZURICH, '02:30', '2027-03-27', ['03-27T01:30', '03-28T01:00', '03-29T00:30']],
  // From 03:00 back to 02:00.
  [ZURICH, '02:30', '2026-10-24', ['10-24T00:30', '10-25T00:30', '10-26T01:30']],
  [ZURICH, '02:30', '2027-10-30', ['10-30T00:30', '10-31T00:30', '11-01T01:30']],
  // From 02:00 to 03:00.
  [NEW_YORK, '02:15', '2026-03-07', ['03-07T07:15', '03-08T07:00', '03-09T06:15']],
  [NEW_YORK, '02:15', '2027-03-13', ['03-13T07:15', '03-14T07:00', '03-15T06:15']],
  // From 02:00 back to 01:00.
  [NEW_YORK, '01:45', '2026-10-31', ['10-31T05:45', '11-01T05:45', '11-02T06:45']],
  [NEW_YORK, '01:45', '2027-11-06', ['11-06T05:45', '11-07T05:45', '11-08T06:45']],
  // Half an hour: from 02:00 back to 01:30, and from 02:00 to 02:30.
  [LORD_HOWE, '01:45', '2026-04-04', ['04-03T14:45', '04-04T14:45', '04-05T15:15']],
  [LORD_HOWE, '01:45', '2027-04-03', ['04-02T14:45', '04-03T14:45', '04-04T15:15']],
  [LORD_HOWE, '02:10', '2026-10-03', ['10-02T15:40', '10-03T15:30', '10-04T15:10']],
  [LORD_HOWE, '02:10', '2027-10-02', ['10-01T15:40', '10-02T15:30', '10-03T15:10']],
  // At midnight: 24:00 back to 23:00 and 00:00 to 01:00.
  [SANTIAGO, '23:30', '2026-04-03', ['04-04T02:30', '04-05T02:30', '04-06T03:30']],
  [SANTIAGO, '23:30', '2027-04-02', ['04-03T02:30', '04-04T02:30', '04-05T03:30']],
  [SANTIAGO, '00:10', '2026-09-05', ['09-05T04:10', '09-06T04:00', '09-07T03:10']],
  [SANTIAGO, '00:10', '2027-09-04', ['09-04T04:10', '09-05T04:00', '09-06T03:10']],
  // At a quarter to: 03:45 back to 02:45, and 02:45 to 03:45.
  [CHATHAM, '03:00', '2026-04-04', ['04-03T13:15', '04-04T13:15', '04-05T14:15']],
  [CHATHAM, '03:00', '2027-04-03', ['04-02T13:15', '04-03T13:15', '04-04T14:15']],
  [CHATHAM, '03:00', '2026-09-26', ['09-25T14:15', '09-26T14:00', '09-27T13:15']],
  [CHATHAM, '03:00', '2027-09-25', ['09-24T14:15', '09-25T14:00', '09-26T13:15']],
]

test.each(CHANGES)(
  'daylight-saving changes of 2026 and 2027: in %s at %s around %s',
  (zone, time, day, runs) => {
    const from = new Date(Date.parse(`${day.slice(0, 4)}-${runs[0]}Z`) - 2 * HOUR_MS).toISOString()
    expect(runsAfter({ run_time_date: `2026-01-01T${time}` }, zone, from, 3)).toEqual(runs)
    const [hour, minute] = time.split(':').map(Number)
    expect(runsAfter(cron(`${minute} ${hour} * * *`), zone, from, 3)).toEqual(runs)
    const everyDay = { task_type: 'weekly', run_time_bit_weekdays: 127 } as const
    expect(runsAfter({ ...everyDay, run_time_date: `2026-01-01T${time}` }, zone, from, 3)).toEqual(runs)
  },
)

test.each([
  // Hourly runs continue while the clocks repeat or skip an hour.
  [ZURICH, '15 * * * *', '2026-03-29T00:00', ['03-29T00:15', '03-29T01:15', '03-29T02:15']],
  [ZURICH, '15 * * * *', '2026-10-25T00:00', ['10-25T00:15', '10-25T01:15', '10-25T02:15']],
  [ZURICH, '30 */2 * * *', '2027-10-30T22:00', ['10-30T22:30', '10-31T00:30', '10-31T01:30', '10-31T03:30']],
  [CHATHAM, '50 */3 * * *', '2026-09-26T11:00', ['09-26T12:05', '09-26T14:05', '09-26T17:05']],
  [LORD_HOWE, '*/20 * * * *', '2026-10-03T15:15', ['10-03T15:40', '10-03T16:00', '10-03T16:20']],
  [SANTIAGO, '0 * * * 6', '2026-04-05T02:30', ['04-05T03:00', '04-11T04:00']],
  // Five minutes of a skipped hour are one moment.
  [ZURICH, '*/5 2 * * *', '2026-03-29T00:00', ['03-29T01:00', '03-30T00:00', '03-30T00:05']],
  [NEW_YORK, '0 9 * * mon-fri', '2026-10-30T14:00', ['11-02T14:00', '11-03T14:00']],
  [NEW_YORK, '0 12 13 * fri', '2026-02-12T00:00', ['02-13T17:00', '02-20T17:00']],
  [NEW_YORK, '0 0 29 2 *', '2026-01-01T00:00', ['02-29T05:00']],
  [ZURICH, '@daily', '2026-06-01T00:00', ['06-01T22:00', '06-02T22:00']],
] as [string, string, string, string[]][])(
  'cron expression: in %s by %s',
  (zone, expression, after, runs) => {
    expect(runsAfter(cron(expression), zone, `${after}Z`, runs.length)).toEqual(runs)
  },
)

test.each([
  ['daily, every third day', { daily_interval: 3 }, ['01-04', '01-07', '01-10']],
  ['weekly', { task_type: 'weekly', run_time_bit_weekdays: 2 + 32 }, ['01-02', '01-05', '01-09']],
  [
    'weekly, every second week, counted from the week of the start',
    { task_type: 'weekly', weekly_interval: 2, run_time_bit_weekdays: 2 + 32 },
    ['01-02', '01-12', '01-16', '01-26'],
  ],
  [
    'monthly by days, the 31st and the last day',
    { task_type: 'monthly', monthly_days_of_month: 2 ** 30 + 0x80000000 },
    ['01-31', '02-28', '03-31', '04-30'],
  ],
  [
    'monthly by days, the 31st only',
    { task_type: 'monthly', monthly_days_of_month: 2 ** 30 },
    ['01-31', '03-31', '05-31'],
  ],
  [
    'monthly by days, in two months',
    { task_type: 'monthly', monthly_days_of_month: 1, monthly_months_of_year: 4 + 512 },
    ['03-01', '10-01', '03-01'],
  ],
  [
    'monthly by weekdays, the second Tuesday',
    { task_type: 'monthlydow', monthly_weeks_of_month: 2, run_time_bit_weekdays: 4 },
    ['01-13', '02-10', '03-10'],
  ],
  [
    'monthly by weekdays, the last Friday and the fourth',
    { task_type: 'monthlydow', monthly_weeks_of_month: 8 + 16, run_time_bit_weekdays: 32 },
    ['01-23', '01-30', '02-27', '03-27'],
  ],
  ['run once', { task_type: 'runonce', run_time_date: '2026-03-01T02:00' }, ['03-01']],
  ['expiry, until its end', { expire_date: '2026-01-03T02:00' }, ['01-02', '01-03']],
  ['manual, never automatic', { task_type: 'manual' }, []],
] as [string, Partial<TaskTimes>, string[]][])('%s', (_, task, days) => {
  const found = runsAfter(task, 'UTC', '2026-01-01T02:00Z', Math.max(days.length, 1))
  expect(found).toEqual(days.map((day) => `${day}T02:00`))
})

test('repetitions follow elapsed time until the duration is over', () => {
  const task = { task_repetition_interval: '15m', task_repetition_duration: '1h' }
  // 01:45 in Zurich; at 02:00 the clocks go to 03:00.
  const given = { ...task, run_time_date: '2026-01-01T01:45' }
  expect(runsAfter(given, ZURICH, '2026-03-29T00:40Z', 5)).toEqual([
    '03-29T00:45',
    '03-29T01:00',
    '03-29T01:15',
    '03-29T01:30',
    '03-29T23:45',
  ])
  const end = endOfRepetition(times(given), ZURICH, Date.parse('2026-03-29T01:15Z'))
  expect(end).toBe(Date.parse('2026-03-29T01:45Z'))
})

test.each([
  ['its end', { expire_date: '2026-01-05T02:00' }, '2026-01-05T00:59', '2026-01-05T01:00'],
  [
    'its end and the random delay',
    { expire_date: '2026-01-05T02:00', random_task_delay: '4h' },
    '2026-01-05T04:59',
    '2026-01-05T05:00',
  ],
  [
    'its only run and the repetitions',
    { task_type: 'runonce', task_repetition_interval: '15m', task_repetition_duration: '1h' },
    '2026-01-01T01:44',
    '2026-01-01T01:45',
  ],
] as [string, Partial<Parameters<typeof isTaskOver>[0]>, string, string][])(
  'a task is over after %s',
  (_, given, before, after) => {
    const task = { random_task_delay: null, ...times(given), ...given }
    const isOver = (at: string) => isTaskOver(task, ZURICH, Date.parse(`${at}Z`))
    expect([isOver(before), isOver(after)]).toEqual([false, true])
  },
)

test('a schedule without an end, and types without a clock, are never over', () => {
  for (const task_type of ['daily', 'manual', 'startup', 'onboarding', 'checkfailure'] as const)
    expect(isTaskOver({ ...times({ task_type }), random_task_delay: null }, ZURICH, Date.UTC(2099, 0))).toBe(
      false,
    )
})

test('a type that does not run by the clock needs no times', () => {
  const task = times({ task_type: 'startup', run_time_date: null, monthly_months_of_year: null })
  expect(findTaskProblem({ ...task, random_task_delay: null })).toBeUndefined()
  expect(nextTaskRun(task, ZURICH, 0)).toBeUndefined()
})

test.each([
  [{}, 'Every day at 02:00'],
  [{ daily_interval: 2, expire_date: '2026-05-01T00:00' }, 'Every 2 days at 02:00, until 2026-05-01 00:00'],
  [{ task_type: 'weekly', run_time_bit_weekdays: 3 }, 'Every week on Sunday and Monday at 02:00'],
  [
    { task_type: 'monthly', monthly_days_of_month: 1 + 2 ** 21 + 0x80000000 },
    'On the 1st, the 22nd and the last day of every month at 02:00',
  ],
  [
    {
      task_type: 'monthlydow',
      monthly_weeks_of_month: 18,
      run_time_bit_weekdays: 4,
      monthly_months_of_year: 3,
    },
    'On the second and last Tuesday of January and February at 02:00',
  ],
  [
    { task_repetition_interval: '15m', task_repetition_duration: '1h' },
    'Every day at 02:00, then every 15m for 1h',
  ],
  [cron('0 3 * * 1'), 'Every Monday at 03:00 (0 3 * * 1)'],
  [cron('0 3 1 * 1'), 'By the cron expression 0 3 1 * 1'],
] as [Partial<TaskTimes>, string][])('%j is described as %j', (task, words) => {
  expect(describeTask(times(task))).toBe(words)
})

const zone = fc.constantFrom(...ZONES, 'UTC', 'Asia/Kathmandu')
const instant = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2028, 0, 1) })

test('a daily task runs once on every day of the calendar, at its time or just after a gap', () => {
  const timeOfDay = fc.integer({ min: 0, max: 1439 })
  fc.assert(
    fc.property(zone, instant, timeOfDay, fc.integer({ min: 1, max: 9 }), (where, after, minute, every) => {
      const clock = new Date(minute * 60_000).toISOString().slice(11, 16)
      const task = times({ run_time_date: `2026-01-01T${clock}`, daily_interval: every })
      const [first = 0, second = 0] = nextTaskRuns(task, where, after, 2)
      expect(first).toBeGreaterThan(after)
      const [here, there] = [first, second].map((ms) => wallClockAt(where, ms))
      for (const wall of [here ?? 0, there ?? 0]) {
        const lateMs = (wall - minute * 60_000) % DAY_MS
        expect(lateMs).toBeGreaterThanOrEqual(0)
        expect(lateMs).toBeLessThanOrEqual(HOUR_MS)
      }
      const days = Math.floor((there ?? 0) / DAY_MS) - Math.floor((here ?? 0) / DAY_MS)
      expect(days).toBe(every)
    }),
  )
})

test('runs every few minutes follow elapsed time in every zone', () => {
  fc.assert(
    fc.property(zone, instant, fc.constantFrom(1, 5, 15), (where, after, every) => {
      const task = times(cron(`*/${every} * * * *`))
      const runs = nextTaskRuns(task, where, after, 50)
      for (const [index, run] of runs.entries())
        expect(run - (runs[index - 1] ?? run - every * 60_000)).toBe(every * 60_000)
    }),
    { numRuns: 50 },
  )
})

test('the next run does not depend on the start of the search', () => {
  const task = fc.constantFrom<Partial<TaskTimes>>(
    {},
    { task_type: 'weekly', run_time_bit_weekdays: 1, weekly_interval: 3 },
    { task_type: 'monthlydow', monthly_weeks_of_month: 16, run_time_bit_weekdays: 1 },
    { task_repetition_interval: '40m', task_repetition_duration: '2d' },
    cron('30 2 * * *'),
    cron('45 1-3 * * sun'),
    cron('10 */2 * * *'),
  )
  fc.assert(
    fc.property(
      task,
      zone,
      instant,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (given, where, after, share) => {
        const next = nextTaskRun(times(given), where, after)
        if (next === undefined) return
        const between = Math.min(next - 1, Math.floor(after + (next - after) * share))
        expect(nextTaskRun(times(given), where, between)).toBe(next)
      },
    ),
  )
})
