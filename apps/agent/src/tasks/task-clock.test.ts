import type { TaskSchedule } from '@muster/contract/agent/tasks'
import { nextTaskRun } from '@muster/rules/schedules/task-schedule'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { givenTask } from '../testing/given-tasks.ts'
import { type DueTask, TaskClock } from './task-clock.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ZONE = 'Europe/Zurich'

/** A machine with one task; `at` is a clock check, as after a restart. */
function givenClock(schedule: Partial<TaskSchedule>, more: Parameters<typeof givenTask>[1] = {}) {
  const { revision, ...plan } = givenTask(schedule, { counts_from: '2026-03-28T00:00:00Z', ...more })
  let handledMs: number | null = null
  let nowMs = 0
  const dues: DueTask[] = []
  return {
    dues,
    at(time: string | number) {
      nowMs = typeof time === 'number' ? time : Date.parse(time)
      const before = dues.length
      using clock = new TaskClock({
        now: () => nowMs,
        zone: () => ZONE,
        seed: 'seed',
        onDue: (due) => {
          dues.push(due)
          handledMs = due.handledMs
        },
      })
      clock.plan([{ ...plan, revision, handledMs, onboarded: false }])
      return dues.slice(before).map(({ run, missed }) => ({
        run: run && `${run.trigger} ${new Date(run.plannedMs).toISOString().slice(5, 16)}`,
        missed: missed?.count ?? 0,
      }))
    },
  }
}

const DAILY = { task_type: 'daily', run_time_date: '2026-03-01T02:30' } as const

test('a run happens once, also when the agent restarts at that moment', () => {
  const clock = givenClock(DAILY)
  expect(clock.at('2026-03-28T01:29:59Z')).toEqual([])
  expect(clock.at('2026-03-28T01:30:00Z')).toEqual([{ run: 'schedule 03-28T01:30', missed: 0 }])
  expect(clock.at('2026-03-28T01:30:00Z')).toEqual([])
  // The clocks skip 02:30.
  expect(clock.at('2026-03-29T01:00:30Z')).toEqual([{ run: 'schedule 03-29T01:00', missed: 0 }])
})

test('of several missed runs one is caught up, and the others are reported', () => {
  const clock = givenClock(DAILY)
  expect(clock.at('2026-03-31T12:00:00Z')).toEqual([{ run: 'missed 03-31T00:30', missed: 3 }])
  expect(clock.at('2026-03-31T12:01:00Z')).toEqual([])
})

test('a task that does not catch up reports missed runs', () => {
  const clock = givenClock(DAILY, { run_asap_after_missed: false })
  expect(clock.at('2026-03-30T12:00:00Z')).toEqual([{ run: undefined, missed: 3 }])
  expect(clock.at('2026-03-31T00:30:20Z')).toEqual([{ run: 'schedule 03-31T00:30', missed: 0 }])
})

test('runs before the creation of the task were not missed', () => {
  const clock = givenClock(DAILY, { counts_from: '2026-03-28T01:31:00Z' })
  expect(clock.at('2026-03-28T02:00:00Z')).toEqual([])
})

test('a single run is caught up on a machine that was off', () => {
  const clock = givenClock({ task_type: 'runonce', run_time_date: '2026-03-28T03:00' })
  expect(clock.at('2026-03-28T05:00:00Z')).toEqual([{ run: 'missed 03-28T02:00', missed: 0 }])
  expect(clock.at('2027-03-28T05:00:00Z')).toEqual([])
})

test('thousands of missed runs are one report', () => {
  const clock = givenClock({ task_type: 'cron', cron_expression: '* * * * *' })
  expect(clock.at('2026-04-28T00:00:00Z')).toEqual([{ run: expect.stringMatching('missed'), missed: 999 }])
  expect(clock.at('2026-04-28T00:00:10Z')).toEqual([])
})

test('a run is delayed by a random part of its delay, which stays the same', () => {
  const clock = givenClock({ ...DAILY, random_task_delay: '4h' })
  const start = Date.parse('2026-03-28T01:30:00Z')
  let first: number | undefined
  for (let at = start; at < start + 4 * HOUR && first === undefined; at += MINUTE)
    if (clock.at(at).length > 0) first = at
  expect(first).toBeDefined()
  expect(clock.dues[0]?.run).toEqual({ trigger: 'schedule', plannedMs: start })
})

test('correcting a clock that was wrong for long does not delay a task', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let now = Date.parse('2031-01-01T00:00:00Z')
  const runs: (string | undefined)[] = []
  using clock = new TaskClock({
    now: () => now,
    zone: () => ZONE,
    seed: 'seed',
    onDue: ({ run }) => runs.push(run?.trigger),
  })
  const task = givenTask(DAILY, { counts_from: '2026-03-28T00:00:00Z' })
  clock.plan([{ ...task, handledMs: null, onboarded: false }])
  now = Date.parse('2026-03-28T01:29:50Z')
  vi.advanceTimersByTime(30_000)
  now = Date.parse('2026-03-28T01:30:20Z')
  vi.advanceTimersByTime(30_000)
  expect(runs).toEqual(['missed', 'schedule'])
})

test('no sequence of restarts, sleeps and clock changes runs the same time twice', () => {
  const schedule = fc.constantFrom<Partial<TaskSchedule>>(
    DAILY,
    { task_type: 'cron', cron_expression: '*/20 * * * *' },
    { ...DAILY, task_repetition_interval: '10m', task_repetition_duration: '2h' },
    { ...DAILY, random_task_delay: '30m' },
  )
  // Forward by up to two days, back by up to an hour.
  const steps = fc.array(fc.integer({ min: -55, max: 2880 }), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(schedule, steps, fc.boolean(), (given, jumps, asap) => {
      const clock = givenClock(given, { run_asap_after_missed: asap })
      let now = Date.parse('2026-03-28T00:00:00Z')
      let latest = now
      for (const jump of jumps) {
        now += jump * MINUTE
        latest = Math.max(latest, now)
        clock.at(now)
      }
      const full = givenTask(given).schedule
      let expected = 0
      let next = nextTaskRun(full, ZONE, Date.parse('2026-03-28T00:00:00Z'))
      while (next !== undefined && next <= latest) {
        expected += 1
        next = nextTaskRun(full, ZONE, next)
      }
      const runs = clock.dues.flatMap(({ run }) => run?.plannedMs ?? [])
      expect(new Set(runs).size).toBe(runs.length)
      const dealt = clock.dues.reduce((sum, { run, missed }) => sum + (run ? 1 : 0) + (missed?.count ?? 0), 0)
      // A random delay may postpone the next run.
      if (full.random_task_delay === null) expect(dealt).toBe(expected)
      else expect(dealt).toBeLessThanOrEqual(expected)
    }),
  )
})
