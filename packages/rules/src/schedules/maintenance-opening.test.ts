import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findOpening, isOpenAt, type WindowTimes } from './maintenance-opening.ts'
import { findScheduleProblem, type MaintenanceTimes } from './maintenance-schedule.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

function weekly(weekdays: number[], time: string, minutes: number, time_zone = 'UTC'): WindowTimes {
  const schedule: MaintenanceTimes = {
    starts: `2026-01-01T${time}`,
    minutes,
    time_zone,
    recurs: 'weekly',
    weekdays,
    month_days: [],
    until: null,
  }
  return { schedule, endedMs: null }
}

const at = (text: string) => Date.parse(`${text}:00Z`)
const shown = (windows: WindowTimes[], text: string) => {
  const found = findOpening(windows, at(text))
  return found && [found.startMs, found.endMs].map((ms) => ms && new Date(ms).toISOString().slice(0, 16))
}

test('windows of different zones open at their own clocks', () => {
  const windows = [weekly([0], '02:00', 120, 'Europe/Zurich'), weekly([3], '22:00', 60)]
  expect(shown(windows, '2026-11-25T21:59')).toEqual(['2026-11-25T22:00', '2026-11-25T23:00'])
  expect(shown(windows, '2026-11-25T23:00')).toEqual(['2026-11-29T01:00', '2026-11-29T03:00'])
  expect(shown(windows, '2026-11-29T02:59')).toEqual(['2026-11-29T01:00', '2026-11-29T03:00'])
})

test('overlapping windows are one opening, and no window never opens', () => {
  const windows = [weekly([3], '20:00', 120), weekly([3], '21:00', 180)]
  expect(shown(windows, '2026-11-25T21:30')).toEqual(['2026-11-25T20:00', '2026-11-26T00:00'])
  expect(findOpening([], at('2026-11-25T21:30'))).toBeUndefined()
})

test('an occurrence that a user ended is closed until the next one', () => {
  const ended = { ...weekly([3], '20:00', 120), endedMs: at('2026-11-25T20:30') }
  expect(isOpenAt([ended], at('2026-11-25T21:00'))).toBe(false)
  expect(shown([ended], '2026-11-25T21:00')).toEqual(['2026-12-02T20:00', '2026-12-02T22:00'])
})

const window = fc
  .record({
    weekdays: fc.uniqueArray(fc.nat(6), { minLength: 1, maxLength: 4 }),
    time: fc
      .tuple(fc.nat(23), fc.constantFrom('00', '15', '30'))
      .map(([hour, minute]) => `${`${hour}`.padStart(2, '0')}:${minute}`),
    minutes: fc.integer({ min: 1, max: 96 }).map((quarters) => quarters * 15),
    zone: fc.constantFrom('UTC', 'Europe/Zurich', 'America/New_York', 'Australia/Lord_Howe'),
  })
  .map(({ weekdays, time, minutes, zone }) => weekly(weekdays, time, minutes, zone))
  .filter(({ schedule }) => findScheduleProblem(schedule) === undefined)

const WEEK_MINUTES = 7 * 24 * 60
const instants = fc
  .integer({ min: 0, max: 52 * WEEK_MINUTES })
  .map((minutes) => Date.UTC(2026, 2, 1) + minutes * MINUTE_MS)

test('an opening is open from its start to its end, and nothing is open before it', () => {
  fc.assert(
    fc.property(fc.array(window, { minLength: 1, maxLength: 3 }), instants, (windows, atMs) => {
      const opening = findOpening(windows, atMs)
      // A week contains an occurrence of each window, and weekly windows always end.
      if (opening === undefined || opening.endMs === null) throw new Error('a weekly window opens and ends')
      const { startMs, endMs } = opening
      expect(isOpenAt(windows, atMs)).toBe(startMs <= atMs)
      expect(startMs).toBeLessThan(atMs + 7 * 24 * HOUR_MS + 2 * HOUR_MS)
      expect(endMs).toBeGreaterThan(atMs)
      for (let ms = atMs; ms < startMs; ms += 15 * MINUTE_MS) expect(isOpenAt(windows, ms)).toBe(false)
      for (let ms = Math.max(atMs, startMs); ms < endMs; ms += 15 * MINUTE_MS)
        expect(isOpenAt(windows, ms)).toBe(true)
    }),
    { numRuns: 60 },
  )
})
