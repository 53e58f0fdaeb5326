import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  findScheduleProblem,
  type MaintenanceTimes,
  nextOccurrence,
  nextOccurrences,
  occurrenceAt,
} from './maintenance-schedule.ts'

const ZURICH = 'Europe/Zurich'
const NEW_YORK = 'America/New_York'
const LORD_HOWE = 'Australia/Lord_Howe'
const SAO_PAULO = 'America/Sao_Paulo'
const KATHMANDU = 'Asia/Kathmandu'
const HOUR_MS = 3_600_000

function times(given: Partial<MaintenanceTimes>): MaintenanceTimes {
  return {
    starts: '2026-01-01T02:00',
    minutes: 60,
    time_zone: ZURICH,
    recurs: 'daily',
    weekdays: [],
    month_days: [],
    until: null,
    ...given,
  }
}

const iso = (ms: number | null | undefined) =>
  ms === null || ms === undefined ? ms : new Date(ms).toISOString()
const startsAfter = (schedule: MaintenanceTimes, after: string, count: number) =>
  nextOccurrences(schedule, Date.parse(after), count).map(({ startMs }) => iso(startMs))

// Day before, day of the change, day after: a skipped time starts at the first moment after the gap, a repeated time
// at the first of both.
test.each([
  // Clocks go from 02:00 to 03:00.
  [ZURICH, '02:30', '2026-03-28', ['03-28T01:30', '03-29T01:00', '03-30T00:30']],
  [ZURICH, '03:00', '2026-03-28', ['03-28T02:00', '03-29T01:00', '03-30T01:00']],
  [ZURICH, '02:30', '2027-03-27', ['03-27T01:30', '03-28T01:00', '03-29T00:30']],
  // From 03:00 back to 02:00.
  [ZURICH, '02:30', '2026-10-24', ['10-24T00:30', '10-25T00:30', '10-26T01:30']],
  [ZURICH, '03:00', '2026-10-24', ['10-24T01:00', '10-25T02:00', '10-26T02:00']],
  [ZURICH, '02:30', '2027-10-30', ['10-30T00:30', '10-31T00:30', '11-01T01:30']],
  // From 02:00 to 03:00.
  [NEW_YORK, '02:15', '2026-03-07', ['03-07T07:15', '03-08T07:00', '03-09T06:15']],
  [NEW_YORK, '02:15', '2027-03-13', ['03-13T07:15', '03-14T07:00', '03-15T06:15']],
  // From 02:00 back to 01:00.
  [NEW_YORK, '01:45', '2026-10-31', ['10-31T05:45', '11-01T05:45', '11-02T06:45']],
  [NEW_YORK, '01:45', '2027-11-06', ['11-06T05:45', '11-07T05:45', '11-08T06:45']],
  // Half an hour: from 02:00 back to 01:30.
  [LORD_HOWE, '01:45', '2026-04-04', ['04-03T14:45', '04-04T14:45', '04-05T15:15']],
  [LORD_HOWE, '01:45', '2027-04-03', ['04-02T14:45', '04-03T14:45', '04-04T15:15']],
  // From 02:00 to 02:30.
  [LORD_HOWE, '02:10', '2026-10-03', ['10-02T15:40', '10-03T15:30', '10-04T15:10']],
  [LORD_HOWE, '02:10', '2027-10-02', ['10-01T15:40', '10-02T15:30', '10-03T15:10']],
  // No daylight saving any more.
  [SAO_PAULO, '00:00', '2026-10-17', ['10-17T03:00', '10-18T03:00', '10-19T03:00']],
  [SAO_PAULO, '00:00', '2027-02-20', ['02-20T03:00', '02-21T03:00', '02-22T03:00']],
  [KATHMANDU, '02:30', '2026-03-28', ['03-27T20:45', '03-28T20:45', '03-29T20:45']],
  [KATHMANDU, '02:30', '2027-10-30', ['10-29T20:45', '10-30T20:45', '10-31T20:45']],
])('%s, daily at %s from %s', (zone, time, date, expected) => {
  const schedule = times({ time_zone: zone, starts: `${date}T${time}` })
  const found = startsAfter(schedule, '2025-12-01T00:00:00Z', 3)
  expect(found).toEqual(expected.map((text) => `${date.slice(0, 4)}-${text}:00.000Z`))
})

test.each([
  [
    'Sunday 02:00 to 04:00 as the clocks go forward lasts its two hours',
    '2026-03-29T01:00',
    '2026-03-29T03:00',
  ],
  ['and as they go back begins at the first 02:00', '2026-10-25T00:00', '2026-10-25T02:00'],
  ['and in between', '2026-07-05T00:00', '2026-07-05T02:00'],
])('%s', (_name, start, end) => {
  const sundays = times({ recurs: 'weekly', weekdays: [0], minutes: 120 })
  const before = Date.parse(`${start}:00Z`) - 1
  expect(nextOccurrence(sundays, before)).toEqual({
    startMs: Date.parse(`${start}:00Z`),
    endMs: Date.parse(`${end}:00Z`),
  })
  expect(occurrenceAt(sundays, before)).toBeUndefined()
  expect(iso(occurrenceAt(sundays, Date.parse(`${start}:00Z`))?.endMs)).toBe(`${end}:00.000Z`)
  expect(occurrenceAt(sundays, Date.parse(`${end}:00Z`))).toBeUndefined()
})

test.each([
  ['weekly, several days', { recurs: 'weekly', weekdays: [1, 5] }, ['01-02', '01-05', '01-09', '01-12']],
  [
    'weekly, first day after the start',
    { recurs: 'weekly', weekdays: [3] },
    ['01-07', '01-14', '01-21', '01-28'],
  ],
  [
    'monthly, the 31st skips short months',
    { recurs: 'monthly', month_days: [31] },
    ['01-31', '03-31', '05-31', '07-31'],
  ],
  ['monthly, the last day', { recurs: 'monthly', month_days: [-1] }, ['01-31', '02-28', '03-31', '04-30']],
  [
    'monthly, last and 31st are one',
    { recurs: 'monthly', month_days: [-1, 31] },
    ['01-31', '02-28', '03-31', '04-30'],
  ],
  ['monthly, several', { recurs: 'monthly', month_days: [15, 1] }, ['01-01', '01-15', '02-01', '02-15']],
  ['until, included', { until: '2026-01-03T02:00' }, ['01-01', '01-02', '01-03']],
  ['until, a minute before', { until: '2026-01-03T01:59' }, ['01-01', '01-02']],
  ['once', { recurs: 'once' }, ['01-01']],
] as const)('%s', (_name, given, expected) => {
  const schedule = times({ ...given, time_zone: KATHMANDU, starts: '2026-01-01T12:00' })
  const until = 'until' in given ? { until: given.until.replace('T02:00', 'T12:00') } : {}
  expect(startsAfter({ ...schedule, ...until }, '2025-12-01T00:00:00Z', 4)).toEqual(
    expected.map((day) => `2026-${day}T06:15:00.000Z`),
  )
})

test('February 29 occurs in leap years', () => {
  const schedule = times({ recurs: 'monthly', month_days: [29], time_zone: KATHMANDU })
  expect(startsAfter(schedule, '2028-02-01T00:00:00Z', 1)).toEqual(['2028-02-28T20:15:00.000Z'])
})

test('a window without a length is active from its start until a user ends it', () => {
  const schedule = times({ recurs: 'once', minutes: null })
  expect(occurrenceAt(schedule, Date.parse('2026-01-01T00:59:59Z'))).toBeUndefined()
  expect(occurrenceAt(schedule, Date.parse('2031-01-01T00:00:00Z'))).toEqual({
    startMs: Date.parse('2026-01-01T01:00:00Z'),
    endMs: null,
  })
})

test('a window that lasts for months is active until its end', () => {
  const schedule = times({ recurs: 'once', minutes: 527_040 })
  expect(iso(occurrenceAt(schedule, Date.parse('2026-12-31T00:00:00Z'))?.endMs)).toBe(
    '2027-01-02T01:00:00.000Z',
  )
})

test('on a day of 23 hours, a window of a whole day ends before the next', () => {
  const schedule = times({ minutes: 1440, starts: '2026-03-01T00:00' })
  const [short, next] = nextOccurrences(schedule, Date.parse('2026-03-28T12:00:00Z'), 2)
  expect(iso(short?.endMs)).toBe('2026-03-29T22:00:00.000Z')
  expect(short?.endMs).toBe(next?.startMs)
})

test.each([
  ['a zone that nobody knows', { time_zone: 'Europe/Atlantis' }, 'time_zone', /Unknown time zone/],
  ['an offset', { time_zone: '+02:00' }, 'time_zone', /Unknown time zone/],
  ['a year long ago', { starts: '0099-01-01T00:00' }, 'starts', /2000 to 2100/],
  ['a year far away', { until: '9999-01-01T00:00' }, 'until', /2000 to 2100/],
  ['weekly without days', { recurs: 'weekly' }, 'weekdays', /at least one day of the week/],
  ['monthly without days', { recurs: 'monthly' }, 'month_days', /at least one day of the month/],
  ['daily without a length', { minutes: null }, 'minutes', /Set a length/],
  ['daily, longer than a day', { minutes: 1441 }, 'minutes', /at most 24 hours/],
  [
    'Monday and Tuesday, two days',
    { recurs: 'weekly', weekdays: [1, 2], minutes: 2880 },
    'minutes',
    /24 hours/,
  ],
  ['Sunday, eight days', { recurs: 'weekly', weekdays: [0], minutes: 11_520 }, 'minutes', /168 hours/],
  [
    'the last and the first',
    { recurs: 'monthly', month_days: [1, -1], minutes: 1441 },
    'minutes',
    /24 hours/,
  ],
  ['until before the start', { until: '2025-12-31T00:00' }, 'until', /never start/],
  [
    'until before the first Sunday',
    { recurs: 'weekly', weekdays: [0], until: '2026-01-02T00:00' },
    'until',
    /never/,
  ],
] as const)('%s is refused', (_name, given, field, sentence) => {
  expect(findScheduleProblem(times(given))).toEqual({ field, sentence: expect.stringMatching(sentence) })
})

test.each([
  ['daily', {}],
  ['a whole day, every day', { minutes: 1440 }],
  ['once, for a year', { recurs: 'once', minutes: 527_040 }],
  ['once, until ended', { recurs: 'once', minutes: null }],
  ['Sundays until a Sunday', { recurs: 'weekly', weekdays: [0], until: '2026-01-04T02:00' }],
  ['a zone in small letters', { time_zone: 'europe/zurich' }],
] as const)('%s is accepted', (_name, given) => {
  expect(findScheduleProblem(times(given))).toBeUndefined()
})

const day = fc
  .integer({ min: 0, max: 729 })
  .map((days) => new Date(Date.UTC(2026, 0, 1 + days)).toISOString().slice(0, 10))
const timeOfDay = fc
  .integer({ min: 0, max: 1439 })
  .map((minute) => new Date(minute * 60_000).toISOString().slice(11, 16))
const schedules = fc
  .record({
    date: day,
    time: timeOfDay,
    minutes: fc.integer({ min: 1, max: 1440 }),
    time_zone: fc.constantFrom(ZURICH, NEW_YORK, LORD_HOWE, SAO_PAULO, KATHMANDU),
    recurs: fc.constantFrom('once', 'daily', 'weekly', 'monthly'),
    weekdays: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
    month_days: fc.uniqueArray(fc.oneof(fc.integer({ min: 1, max: 31 }), fc.constant(-1)), { minLength: 1 }),
    until: fc.option(day.map((date) => `${date}T12:00`)),
  })
  .map(({ date, time, ...rest }): MaintenanceTimes => ({ ...rest, starts: `${date}T${time}` }))
  .filter((schedule) => findScheduleProblem(schedule) === undefined)
const instants = fc.integer({ min: Date.UTC(2025, 11, 1), max: Date.UTC(2028, 0, 1) })

test('the next start is in the future and active; the moment before it, another window or none is active', () => {
  fc.assert(
    fc.property(schedules, instants, (schedule, atMs) => {
      const next = nextOccurrence(schedule, atMs)
      if (next === undefined) return
      expect(next.startMs).toBeGreaterThan(atMs)
      expect(occurrenceAt(schedule, next.startMs)).toEqual(next)
      const before = occurrenceAt(schedule, next.startMs - 1)
      if (before !== undefined) expect(before.endMs).toBe(next.startMs)
    }),
    { numRuns: 150 },
  )
})

test('the current occurrence is neither past nor future, and none starts before the next', () => {
  fc.assert(
    fc.property(schedules, instants, (schedule, atMs) => {
      const on = occurrenceAt(schedule, atMs)
      if (on !== undefined) {
        expect(on.startMs).toBeLessThanOrEqual(atMs)
        expect(on.endMs).toBeGreaterThan(atMs)
        expect(nextOccurrence(schedule, on.startMs - 1)).toEqual(on)
      }
      const next = nextOccurrence(schedule, atMs)
      expect(nextOccurrence(schedule, (next?.startMs ?? atMs + 40 * 24 * HOUR_MS) - 1)?.startMs).toBe(
        next?.startMs,
      )
    }),
    { numRuns: 150 },
  )
})

test('a list of occurrences has no overlap and no missing day', () => {
  fc.assert(
    fc.property(schedules, (schedule) => {
      const found = nextOccurrences(schedule, Number.NEGATIVE_INFINITY, 20)
      for (const [index, { startMs, endMs }] of found.entries()) {
        expect(endMs).toBeGreaterThan(startMs)
        const next = found[index + 1]
        if (next === undefined) continue
        expect(next.startMs).toBeGreaterThanOrEqual(endMs ?? Number.POSITIVE_INFINITY)
        if (schedule.recurs !== 'daily') continue
        expect(Math.abs(next.startMs - startMs - 24 * HOUR_MS)).toBeLessThanOrEqual(HOUR_MS)
      }
    }),
    { numRuns: 100 },
  )
})
