import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findRotationProblem, nextShifts, onCallAt, type OnCallRotation } from './on-call.ts'
import { instantOf, wallClockAt } from './zone-time.ts'

const ADA = 1
const BOB = 2
const CY = 3
const WEEKLY: OnCallRotation = {
  time_zone: 'Europe/Zurich',
  rotates: 'weekly',
  // A Monday.
  starts: '2026-11-23T09:00',
  members: [ADA, BOB, CY],
  overrides: [],
}
const at = (rotation: OnCallRotation, instant: string, isAvailable?: (user: number) => boolean) => {
  const { user, untilMs } = onCallAt(rotation, Date.parse(instant), isAvailable)
  return [user, untilMs === null ? null : new Date(untilMs).toISOString()]
}

test.each([
  ['before the first shift', '2026-11-23T07:59:59.999Z', null, '2026-11-23T08:00:00.000Z'],
  ['at its first moment', '2026-11-23T08:00:00.000Z', ADA, '2026-11-30T08:00:00.000Z'],
  ['at its last moment', '2026-11-30T07:59:59.999Z', ADA, '2026-11-30T08:00:00.000Z'],
  ['after the handover', '2026-11-30T08:00:00.000Z', BOB, '2026-12-07T08:00:00.000Z'],
  ['when all have had a shift', '2026-12-14T08:00:00.000Z', ADA, '2026-12-21T08:00:00.000Z'],
  ['in the week of a clock change', '2027-03-25T12:00:00.000Z', CY, '2027-03-29T07:00:00.000Z'],
])('weekly rotation %s', (_, instant, user, until) => {
  expect(at(WEEKLY, instant)).toEqual([user, until])
})

test('an override replaces the member for its time, and the rotation continues', () => {
  const rotation = {
    ...WEEKLY,
    overrides: [{ user: CY, from: '2026-11-28T08:00:00.000Z', to: '2026-11-29T08:00:00.000Z' }],
  }
  expect(at(rotation, '2026-11-27T08:00:00Z')).toEqual([ADA, '2026-11-28T08:00:00.000Z'])
  expect(at(rotation, '2026-11-28T08:00:00Z')).toEqual([CY, '2026-11-29T08:00:00.000Z'])
  expect(at(rotation, '2026-11-29T08:00:00Z')).toEqual([ADA, '2026-11-30T08:00:00.000Z'])
  // Before the first shift it names the only one on call.
  const early = { ...rotation, starts: '2027-01-04T09:00' }
  expect(at(early, '2026-11-28T09:00:00Z')).toEqual([CY, '2026-11-29T08:00:00.000Z'])
})

test('a shift of a user who is not available goes to the next member', () => {
  const isAvailable = (user: number) => user !== BOB
  expect(at(WEEKLY, '2026-11-30T08:00:00Z', isAvailable)).toEqual([CY, '2026-12-14T08:00:00.000Z'])
  const overrides = [{ user: BOB, from: '2026-11-23T00:00:00.000Z', to: '2026-12-24T00:00:00.000Z' }]
  expect(at({ ...WEEKLY, overrides }, '2026-11-24T08:00:00Z', isAvailable)[0]).toBe(ADA)
  expect(at(WEEKLY, '2026-11-30T08:00:00Z', () => false)).toEqual([null, null])
})

test('a single member is on call without end', () => {
  expect(at({ ...WEEKLY, members: [ADA] }, '2026-12-01T00:00:00Z')).toEqual([ADA, null])
})

// Handovers at a skipped, a repeated and a half-hour change.
test.each([
  ['Europe/Zurich', '2026-03-27T02:30', '2026-03-29T00:59:59Z', '2026-03-29T01:00:00.000Z'],
  ['Europe/Zurich', '2026-10-23T02:30', '2026-10-25T00:29:59Z', '2026-10-25T00:30:00.000Z'],
  ['Australia/Lord_Howe', '2026-04-03T09:00', '2026-04-04T12:00:00Z', '2026-04-04T22:30:00.000Z'],
  ['America/Santiago', '2026-09-04T00:00', '2026-09-06T03:59:59Z', '2026-09-06T04:00:00.000Z'],
])('daily handover in %s from %s', (time_zone, starts, instant, until) => {
  const rotation = { ...WEEKLY, time_zone, starts, rotates: 'daily' } as const
  expect(at(rotation, instant)).toEqual([BOB, until])
  expect(at(rotation, until)[0]).toBe(CY)
})

const DAY_MS = 86_400_000
const zone = fc.constantFrom(
  'UTC',
  'Europe/Zurich',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
)
const rotation = fc
  .record({
    time_zone: zone,
    rotates: fc.constantFrom('daily' as const, 'weekly' as const),
    day: fc.integer({ min: 0, max: 400 }),
    minute: fc.integer({ min: 0, max: 1439 }),
    count: fc.integer({ min: 2, max: 5 }),
  })
  .map(({ day, minute, count, ...rest }) => ({
    ...rest,
    starts: new Date(Date.UTC(2026, 0, 1) + day * DAY_MS + minute * 60_000).toISOString().slice(0, 16),
    members: Array.from({ length: count }, (_, index) => index + 1),
    overrides: [],
  }))
const later = fc.integer({ min: 0, max: 800 * 1440 }).map((minutes) => minutes * 60_000)

test('handovers show the same clock time, except for skipped times, and members follow in order', () => {
  fc.assert(
    fc.property(rotation, later, (one, afterMs) => {
      const startMs = instantOf(one.time_zone, Date.parse(`${one.starts}Z`))
      const [first, second] = nextShifts(one, startMs + afterMs, 2)
      if (first?.untilMs == null || second?.untilMs == null) throw new Error('there is no handover')
      const wall = wallClockAt(one.time_zone, first.untilMs)
      const wanted = Date.parse(`${one.starts}Z`)
      const isSkipped = instantOf(one.time_zone, wall) === first.untilMs && (wall - wanted) % DAY_MS !== 0
      if (isSkipped) expect((wall - wanted) % DAY_MS).toBeLessThanOrEqual(3_600_000)
      else expect((wall - wanted) % DAY_MS).toBe(0)
      expect(second.user).toBe(((first.user ?? 0) % one.members.length) + 1)
      expect(onCallAt(one, first.untilMs - 1).user).toBe(first.user)
      const days = (second.untilMs - first.untilMs) / DAY_MS
      const length = one.rotates === 'daily' ? 1 : 7
      // A day with a clock change is up to an hour shorter or longer.
      expect(Math.abs(days - length)).toBeLessThanOrEqual(2 / 24)
    }),
  )
})

test('within a shift the answer does not depend on the moment', () => {
  fc.assert(
    fc.property(rotation, later, fc.double({ min: 0, max: 1, noNaN: true }), (one, afterMs, part) => {
      const startMs = instantOf(one.time_zone, Date.parse(`${one.starts}Z`)) + afterMs
      const { user, untilMs } = onCallAt(one, startMs)
      if (untilMs === null) throw new Error('there is no handover')
      const withinMs = Math.min(untilMs - 1, Math.floor(startMs + (untilMs - startMs) * part))
      expect(onCallAt(one, withinMs)).toEqual({ user, untilMs, isOverride: false })
    }),
  )
})

test.each([
  [{}, undefined],
  [{ time_zone: 'Mars/Base' }, 'time_zone'],
  [{ starts: '1999-01-01T00:00' }, 'starts'],
  [{ starts: '2026-02-31T00:00' }, 'starts'],
  [{ members: [] }, 'members'],
  [{ members: [1, 1] }, 'members'],
  [{ overrides: [{ user: 1, from: '2026-11-29T08:00:00Z', to: '2026-11-29T08:00:00Z' }] }, 'overrides'],
  [
    {
      overrides: [
        { user: 1, from: '2026-11-29T08:00:00Z', to: '2026-11-30T08:00:00Z' },
        { user: 2, from: '2026-11-28T08:00:00Z', to: '2026-11-29T08:00:01Z' },
      ],
    },
    'overrides',
  ],
])('problem of %j: %s', (change, field) => {
  expect(findRotationProblem({ ...WEEKLY, ...change })?.field).toBe(field)
})
