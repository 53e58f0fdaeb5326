import fc from 'fast-check'
import { expect, test } from 'vitest'
import { instantOf } from '../schedules/zone-time.ts'
import { findRepeatProblem, nextRepeat } from './job-repeat.ts'

const at = (text: string) => Date.parse(`${text}:00Z`)

test.each([
  ['30 2 * * mon-fri', undefined],
  ['@daily', undefined],
  ['0 * * * *', undefined],
  ['*/15 * * * *', /at most once an hour/],
  ['0 0 30 2 *', /never occurs/],
  ['tonight', /Use minute, hour/],
])('%s: %s', (cron, problem) => {
  const found = findRepeatProblem(cron)
  if (problem === undefined) expect(found).toBeUndefined()
  else expect(found).toMatch(problem)
})

test('by the clock of the server, a job is planned at its time', () => {
  const repeat = { cron: '0 2 * * *', clock: 'server' as const }
  expect(nextRepeat(repeat, 'Europe/Zurich', at('2026-11-25T12:00'))).toEqual({
    planMs: at('2026-11-26T01:00'),
    local: null,
    hours: 24,
  })
})

test('by the clocks of machines, a job is planned before the first of them reaches its time', () => {
  const repeat = { cron: '0 2 * * *', clock: 'machine' as const }
  const zones = fc.constantFrom('Pacific/Kiritimati', 'Asia/Tokyo', 'UTC', 'America/New_York', 'Etc/GMT+12')
  fc.assert(
    fc.property(zones, fc.integer({ min: 0, max: 500 }), (zone, day) => {
      const after = at('2026-01-01T02:00') + day * 86_400_000
      const time = nextRepeat(repeat, 'UTC', after)
      if (time?.local == null) throw new Error('there is a next day')
      expect(time.local.slice(11)).toBe('02:00')
      expect(time.planMs).toBeLessThanOrEqual(instantOf(zone, at(time.local)))
    }),
  )
})

test('a job expires before the next one starts', () => {
  const times = fc.record({
    cron: fc
      .tuple(fc.nat(59), fc.uniqueArray(fc.nat(23), { minLength: 1 }))
      .map(([minute, hours]) => `${minute} ${hours.join()} * * *`),
    clock: fc.constantFrom('server' as const, 'machine' as const),
  })
  fc.assert(
    fc.property(times, fc.integer({ min: 0, max: 500_000 }), (repeat, minutes) => {
      const after = at('2026-01-01T00:00') + minutes * 60_000
      const time = nextRepeat(repeat, 'UTC', after)
      if (time === undefined) throw new Error('it repeats every day')
      const startMs = time.local === null ? time.planMs : at(time.local)
      const next = nextRepeat(repeat, 'UTC', startMs)
      const nextMs = next?.local == null ? (next?.planMs ?? 0) : at(next.local)
      expect(startMs).toBeGreaterThan(after)
      expect(startMs + time.hours * 3_600_000).toBeLessThanOrEqual(nextMs)
    }),
  )
})
