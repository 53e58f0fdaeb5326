import { expect, test } from 'vitest'
import {
  checksSortKey,
  effectiveInterval,
  freshUntil,
  checkStateOf,
  summarizeChecks,
  type CheckNumbers,
} from './check-freshness.ts'

const AT = '2026-11-24T09:00:00.000Z'
const after = (seconds: number) => Date.parse(AT) + seconds * 1000

test('a check without its own interval uses the interval of the machine', () => {
  expect(effectiveInterval({ run_interval: 0 }, 120)).toBe(120)
  expect(effectiveInterval({ run_interval: 3600 }, 120)).toBe(3600)
})

test.each([
  ['no run yet', 'pending', null, 0, 'no_results'],
  ['a pass of now', 'passing', AT, 0, 'passing'],
  ['a pass as old as two intervals', 'passing', AT, 240, 'passing'],
  ['a pass older than two intervals', 'passing', AT, 241, 'old'],
  ['a failure of now', 'failing', AT, 0, 'failing'],
  ['a failure of last week', 'failing', AT, 604_800, 'failing'],
] as const)('%s', (_name, status, lastRun, seconds, expected) => {
  expect(checkStateOf({ status, fresh_until: freshUntil(lastRun, 120) }, after(seconds))).toBe(expected)
})

const none: CheckNumbers = { total: 0, passing: 0, failing: 0, warning: 0, info: 0, old: 0, pending: 0 }

test.each<[string, Partial<CheckNumbers>, ReturnType<typeof summarizeChecks>]>([
  ['no checks', {}, 'none'],
  ['three that never ran', { total: 3, pending: 3 }, 'no_results'],
  ['one of two never ran', { total: 2, passing: 1, pending: 1 }, 'no_results'],
  ['all old', { total: 2, old: 2 }, 'old'],
  ['one old and one without results', { total: 2, old: 1, pending: 1 }, 'old'],
  ['one fails and the others are old', { total: 3, failing: 1, old: 2 }, 'failing'],
  ['one warns', { total: 2, warning: 1, passing: 1 }, 'warning'],
  ['information is no trouble', { total: 2, info: 1, passing: 1 }, 'passing'],
  ['all pass', { total: 2, passing: 2 }, 'passing'],
])('%s', (_name, numbers, expected) => {
  expect(summarizeChecks({ ...none, ...numbers })).toBe(expected)
})

test('failing checks come first, then warnings, unknown and passing ones', () => {
  const ordered: Partial<CheckNumbers>[] = [
    { failing: 1 },
    { warning: 300, old: 5 },
    { warning: 2 },
    { info: 1 },
    { old: 2, pending: 1 },
    { pending: 1 },
    { passing: 9 },
  ]
  const keys = ordered.map((numbers) => checksSortKey({ ...none, ...numbers }))
  expect(keys).toEqual(keys.toSorted((a, b) => b - a))
  expect(new Set(keys).size).toBe(keys.length)
})
