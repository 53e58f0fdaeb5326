import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escalates, escalationRun, findEscalationProblem, minutesBefore } from './escalation.ts'

const CHAIN = {
  steps: [{ after_minutes: 0 }, { after_minutes: 15 }],
  repeat_minutes: 10,
  repeat_times: 2,
}

test('a chain runs its steps, then repeats the last one a limited number of times', () => {
  const runs = [0, 1, 2, 3, 4].map((run) => escalationRun(CHAIN, run))
  expect(runs).toEqual([
    { step: 0, round: 0, minutes: 0 },
    { step: 1, round: 0, minutes: 15 },
    { step: 1, round: 1, minutes: 25 },
    { step: 1, round: 2, minutes: 35 },
    undefined,
  ])
  expect([0, 1, 2, 3, 4].map((run) => minutesBefore(CHAIN, run))).toEqual([0, 15, 10, 10, undefined])
  expect(escalationRun({ ...CHAIN, repeat_minutes: 0 }, 2)).toBeUndefined()
  expect(escalationRun({ ...CHAIN, steps: [] }, 0)).toBeUndefined()
})

test('runs are in order of time, and their number is limited', () => {
  const gaps = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 10 })
  const repeats = fc.record({
    repeat_minutes: fc.integer({ min: 0, max: 60 }),
    repeat_times: fc.integer({ min: 0, max: 20 }),
  })
  fc.assert(
    fc.property(gaps, repeats, (minutes, repeat) => {
      let after_minutes = -1
      const chain = { ...repeat, steps: minutes.map((gap) => ({ after_minutes: (after_minutes += gap) })) }
      expect(findEscalationProblem(chain)).toBeUndefined()
      const count = minutes.length + (repeat.repeat_minutes === 0 ? 0 : repeat.repeat_times)
      const runs = Array.from({ length: count + 5 }, (_, run) => escalationRun(chain, run)).filter(
        (run) => run !== undefined,
      )
      expect(runs).toHaveLength(count)
      for (const [index, run] of runs.entries())
        if (index > 0) expect(run.minutes).toBeGreaterThan(runs[index - 1]?.minutes ?? 0)
    }),
  )
})

test.each([
  [{ state: 'open', hold: null, notified: 'error' }, true],
  [{ state: 'open', hold: null, notified: null }, false],
  [{ state: 'open', hold: 'maintenance', notified: 'error' }, false],
  [{ state: 'acknowledged', hold: null, notified: 'error' }, false],
  [{ state: 'snoozed', hold: null, notified: 'error' }, false],
  [{ state: 'resolved', hold: null, notified: 'error' }, false],
])('an alert %j escalates: %s', (alert, expected) => {
  expect(escalates(alert)).toBe(expected)
})

test('steps must be in order', () => {
  expect(findEscalationProblem({ ...CHAIN, steps: [] })).toBe('Add at least one step.')
  expect(findEscalationProblem({ ...CHAIN, steps: [{ after_minutes: 5 }, { after_minutes: 5 }] })).toBe(
    'Each step must be later than the one before.',
  )
})
