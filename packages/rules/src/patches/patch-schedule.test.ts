import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wallClockAt } from '../schedules/zone-time.ts'
import { postpone } from './patch-reboot.ts'
import { nextPatchTime, type PatchSchedule } from './patch-schedule.ts'
import { describePatchSchedule, describePatchScripts, describeReboot } from './patch-text.ts'

const HOUR_MS = 3_600_000
const weekly: PatchSchedule = {
  recurs: 'weekly',
  weekdays: [2],
  month_days: [],
  time: '03:00',
  late_hours: 6,
}
const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

test('the time is that of the clock of the machine, also when it changes', () => {
  const next = (zone: string, after: string, schedule = weekly) =>
    iso(nextPatchTime(schedule, { zone, windows: [] }, Date.parse(after))?.startMs)
  expect(next('UTC', '2026-11-25T00:00:00Z')).toBe('2026-12-01T03:00:00.000Z')
  expect(next('Europe/Zurich', '2026-11-25T00:00:00Z')).toBe('2026-12-01T02:00:00.000Z')
  expect(next('Europe/Zurich', '2026-06-01T00:00:00Z')).toBe('2026-06-02T01:00:00.000Z')
  const monthly: PatchSchedule = { ...weekly, recurs: 'monthly', month_days: [-1] }
  expect(next('UTC', '2027-02-01T00:00:00Z', monthly)).toBe('2027-02-28T03:00:00.000Z')
})

test('in maintenance windows: at the start of the next one, until it ends', () => {
  const windowOf = (starts: string) =>
    ({
      starts,
      minutes: 120,
      time_zone: 'UTC',
      recurs: 'weekly',
      weekdays: [6],
      month_days: [],
      until: null,
    }) as const
  const windows = [windowOf('2026-01-01T22:00'), windowOf('2026-01-01T04:00')]
  const schedule: PatchSchedule = { ...weekly, recurs: 'window' }
  const next = nextPatchTime(schedule, { zone: 'UTC', windows }, Date.parse('2026-11-25T00:00:00Z'))
  expect([iso(next?.startMs), iso(next?.endMs)]).toEqual([
    '2026-11-28T04:00:00.000Z',
    '2026-11-28T06:00:00.000Z',
  ])
  expect(nextPatchTime(schedule, { zone: 'UTC', windows: [] }, 0)).toBeUndefined()
})

test('the next time is later, on a chosen day and at the chosen time', () => {
  const day = fc.uniqueArray(fc.nat(6), { minLength: 1 })
  const zone = fc.constantFrom('UTC', 'Europe/Zurich', 'America/New_York', 'Australia/Lord_Howe')
  const hour = fc.integer({ min: 4, max: 23 })
  fc.assert(
    fc.property(day, zone, hour, fc.nat(366 * 24), (weekdays, of, at, hours) => {
      const after = Date.UTC(2026, 0, 1) + hours * HOUR_MS
      const time = `${String(at).padStart(2, '0')}:30`
      const next = nextPatchTime({ ...weekly, weekdays, time }, { zone: of, windows: [] }, after)
      if (next === undefined) throw new Error('no next time')
      expect(next.startMs).toBeGreaterThan(after)
      expect(next.startMs - after).toBeLessThanOrEqual(8 * 24 * HOUR_MS)
      expect(next.endMs - next.startMs).toBe(6 * HOUR_MS)
      const local = new Date(wallClockAt(of, next.startMs))
      expect(weekdays).toContain(local.getUTCDay())
      expect(local.toISOString().slice(11, 16)).toBe(time)
    }),
  )
})

test('a user postpones a restart at most as often as allowed, and never past the deadline', () => {
  fc.assert(
    fc.property(
      fc.nat(100),
      fc.integer({ min: 60, max: 86_400 }),
      fc.option(fc.nat(1_000_000), { nil: undefined }),
      (postponements, postpone_seconds, deadline) => {
        const dueMs = 900_000
        const deadlineMs = deadline === undefined ? undefined : dueMs + deadline * 1000
        let plan = { dueMs, postponements }
        let count = 0
        while (plan.postponements > 0) {
          const next = postpone({ ...plan, postpone_seconds, deadlineMs })
          expect(next.dueMs).toBeGreaterThanOrEqual(plan.dueMs)
          expect(next.postponements).toBeLessThan(plan.postponements)
          expect(next.dueMs).toBeLessThanOrEqual(deadlineMs ?? Infinity)
          plan = next
          count += 1
        }
        expect(count).toBeLessThanOrEqual(postponements)
      },
    ),
  )
})

test('a deadline that is already over does not move a restart forward', () => {
  const late = postpone({ dueMs: 5000, postponements: 3, postpone_seconds: 60, deadlineMs: 1000 })
  expect(late).toEqual({ dueMs: 5000, postponements: 0 })
})

test('schedule, scripts and restart are described as words', () => {
  expect(describePatchSchedule(weekly)).toBe(
    'Install every Tuesday at 03:00, or when it connects within 6 hours',
  )
  expect(describePatchSchedule({ ...weekly, recurs: 'monthly', month_days: [15, 1, -1] })).toBe(
    'Install on the 1st, the 15th and the last day of each month at 03:00, or when it connects within 6 hours',
  )
  expect(describePatchScripts({ before: 'Snapshot', after: null })).toBe(
    'Run the script "Snapshot" before the installation',
  )
  const reboot = {
    when: 'warn',
    only_if_needed: true,
    message: '',
    delay_minutes: 15,
    postponements: 4,
    postpone_minutes: 60,
    deadline_hours: 24,
  } as const
  expect(describeReboot(reboot)).toBe(
    'Restart if needed: warn the user 15 minutes before, up to 4 postponements by 60 minutes, within 24 hours',
  )
  expect(describeReboot({ ...reboot, when: 'nobody', only_if_needed: false, deadline_hours: 1 })).toBe(
    'Restart after each installation, only while nobody is signed in, within 1 hour',
  )
})
