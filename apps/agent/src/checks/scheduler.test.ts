import fc from 'fast-check'
import { beforeEach, afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { PlannedCheck } from './definitions.ts'
import { Scheduler } from './scheduler.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const check = (id: number, runIntervalSeconds = 60, revision = 'a'): PlannedCheck => ({
  id,
  revision,
  runIntervalSeconds,
})

/** A scheduler whose checks take `takesMs`; it records their start times. */
function givenScheduler(takesMs: number | ((id: number) => number) = 0) {
  const begun: { id: number; atMs: number }[] = []
  const running = new Map<number, number>()
  let mostAtOnce = 0
  let aborted = 0
  /** Started while another run was active. */
  const twice: number[] = []
  onTestFinished(() => expect(twice).toEqual([]))
  const scheduler = new Scheduler({
    run: async (id, signal) => {
      if (running.has(id)) twice.push(id)
      begun.push({ id, atMs: performance.now() })
      running.set(id, 1)
      mostAtOnce = Math.max(mostAtOnce, running.size)
      const ms = typeof takesMs === 'number' ? takesMs : takesMs(id)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        signal.addEventListener('abort', () => {
          aborted += 1
          clearTimeout(timer)
          resolve()
        })
      })
      running.delete(id)
    },
  })
  const timesOf = (id: number) => begun.filter((run) => run.id === id).map(({ atMs }) => atMs)
  return {
    scheduler,
    begun,
    timesOf,
    most: () => mostAtOnce,
    aborted: () => aborted,
    twice: () => twice,
    runningNow: () => running.size,
  }
}

test('a new check runs within two seconds, a known one within a minute of the start', async () => {
  const { scheduler, begun, timesOf } = givenScheduler()
  const start = performance.now()
  scheduler.plan(
    Array.from({ length: 200 }, (_, id) => check(id, 3600)),
    'start',
  )
  await vi.advanceTimersByTimeAsync(1000)
  expect(begun.length).toBeLessThan(30)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(begun).toHaveLength(200)
  const spread = begun.map(({ atMs }) => atMs - start)
  expect(Math.max(...spread) - Math.min(...spread)).toBeGreaterThan(45_000)
  scheduler.plan([...Array.from({ length: 200 }, (_, id) => check(id, 3600)), check(999, 3600)], 'change')
  await vi.advanceTimersByTimeAsync(2100)
  expect(timesOf(999)).toHaveLength(1)
  expect(begun).toHaveLength(201)
})

test('a check runs every interval, with a jitter of a twentieth', async () => {
  const { scheduler, timesOf } = givenScheduler(500)
  scheduler.plan([check(1, 60)], 'change')
  await vi.advanceTimersByTimeAsync(100 * 60_000)
  const times = timesOf(1)
  const gaps = times.slice(1).map((atMs, index) => atMs - times[index]!) // One before each but the first.
  expect(times.length).toBeGreaterThan(95)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(57_000)
  expect(Math.max(...gaps)).toBeLessThanOrEqual(63_100)
  expect(Math.max(...gaps) - Math.min(...gaps)).toBeGreaterThan(3000)
})

test('changes of the system time have no effect', async () => {
  const { scheduler, timesOf } = givenScheduler()
  scheduler.plan([check(1, 60)], 'change')
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  const before = timesOf(1).length
  vi.setSystemTime(new Date('2040-01-01'))
  await vi.advanceTimersByTimeAsync(5 * 60_000)
  vi.setSystemTime(new Date('1999-01-01'))
  await vi.advanceTimersByTimeAsync(5 * 60_000)
  expect(timesOf(1).length - before).toBeGreaterThanOrEqual(9)
  expect(timesOf(1).length - before).toBeLessThanOrEqual(11)
})

test('a check that takes longer than its interval is not started twice', async () => {
  const { scheduler, timesOf } = givenScheduler(25_000)
  scheduler.plan([check(1, 10)], 'change')
  for (let second = 0; second < 100; second += 1) {
    scheduler.runNow([1])
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(timesOf(1)).toHaveLength(4)
})

test('at most eight of thousands of checks run at once, and each gets its turn', async () => {
  const { scheduler, begun, most } = givenScheduler(20)
  scheduler.plan(
    Array.from({ length: 5000 }, (_, id) => check(id, 60)),
    'change',
  )
  scheduler.runNow(null)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(most()).toBe(8)
  expect(new Set(begun.map(({ id }) => id)).size).toBe(5000)
  await scheduler[Symbol.asyncDispose]()
})

test('a hanging check does not block others', async () => {
  const { scheduler, timesOf } = givenScheduler((id) => (id <= 7 ? 10 ** 9 : 10))
  scheduler.plan(
    Array.from({ length: 12 }, (_, id) => check(id + 1, 10)),
    'change',
  )
  await vi.advanceTimersByTimeAsync(100_000)
  for (let id = 8; id <= 12; id += 1) expect(timesOf(id).length).toBeGreaterThan(8)
  expect(timesOf(1)).toHaveLength(1)
})

test('a removed or changed check is ended, and the changed one starts again', async () => {
  const { scheduler, timesOf, aborted } = givenScheduler(10 ** 9)
  scheduler.plan([check(1), check(2)], 'change')
  await vi.advanceTimersByTimeAsync(2100)
  scheduler.plan([check(2, 60, 'b')], 'change')
  await vi.advanceTimersByTimeAsync(2100)
  expect(aborted()).toBe(2)
  expect(timesOf(1)).toHaveLength(1)
  expect(timesOf(2)).toHaveLength(2)
  await scheduler[Symbol.asyncDispose]()
  expect(aborted()).toBe(3)
  await vi.advanceTimersByTimeAsync(10 ** 6)
  expect(timesOf(2)).toHaveLength(2)
})

const IDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
type Step =
  | { kind: 'plan'; ids: number[]; changed: number[] }
  | { kind: 'run now'; ids: number[] | null }
  | { kind: 'pass'; ms: number }
  | { kind: 'set the clock'; ms: number }
  | { kind: 'restart' }
const DAY_MS = 86_400_000
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('plan' as const),
    ids: fc.subarray(IDS),
    changed: fc.subarray(IDS, { maxLength: 2 }),
  }),
  fc.record({ kind: fc.constant('run now' as const), ids: fc.option(fc.subarray(IDS)) }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(40_000) }) },
  fc.record({
    kind: fc.constant('set the clock' as const),
    ms: fc.integer({ min: -DAY_MS, max: DAY_MS }),
  }),
  fc.constant<Step>({ kind: 'restart' }),
)

test('no sequence of changes, restarts and clock changes runs a check twice at once, starves one or runs a removed one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
      let planned = IDS.map((id) => check(id, 10 + (id % 5) * 20))
      let given = givenScheduler((id) => id * 1700)
      given.scheduler.plan(planned, 'start')
      for (const [index, next] of steps.entries()) {
        const before = given.begun.length
        switch (next.kind) {
          case 'plan':
            planned = next.ids.map((id) => {
              const { runIntervalSeconds, revision } = planned.find((one) => one.id === id) ?? check(id)
              return check(id, runIntervalSeconds, next.changed.includes(id) ? `r${index}` : revision)
            })
            given.scheduler.plan(planned, 'change')
            break
          case 'run now':
            given.scheduler.runNow(next.ids)
            break
          case 'pass':
            await vi.advanceTimersByTimeAsync(next.ms)
            break
          case 'set the clock':
            vi.setSystemTime(Date.now() + next.ms)
            break
          case 'restart': {
            const ended = given.scheduler[Symbol.asyncDispose]()
            await vi.advanceTimersByTimeAsync(6000)
            await ended
            expect(given.runningNow()).toBe(0)
            given = givenScheduler((id) => id * 1700)
            given.scheduler.plan(planned, 'start')
          }
        }
        const ids = new Set(planned.map(({ id }) => id))
        if (next.kind !== 'restart')
          expect(given.begun.slice(before).every(({ id }) => ids.has(id))).toBe(true)
        expect(given.twice()).toEqual([])
        expect(given.most()).toBeLessThanOrEqual(8)
      }
      const before = given.begun.length
      await vi.advanceTimersByTimeAsync(300_000)
      const ran = given.begun.slice(before)
      expect(new Set(ran.map(({ id }) => id))).toEqual(new Set(planned.map(({ id }) => id)))
      await given.scheduler[Symbol.asyncDispose]()
    }),
    { numRuns: 60 },
  )
})
