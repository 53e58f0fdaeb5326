import { describe, expect, onTestFinished, test } from 'vitest'
import { testEngines } from '../database/test-engines.ts'
import { everyDay, everyMinute } from './schedule.ts'
import { createRecorder, useJobs } from './test-jobs.ts'

describe.each(testEngines)('$engine', ({ open }) => {
  const bench = useJobs(open)
  const { pass, setClock, openJobs, readRows } = bench

  test('a timed job runs once in each of its minutes in any process, and not for the time before it existed', async () => {
    const { ran, job } = createRecorder('night.clean')
    const processes = ['a', 'b', 'c'].map((id) => openJobs(id))
    for (const jobs of processes) jobs.define([{ ...job, schedule: everyMinute }])
    const drainAll = () => Promise.all(processes.map((jobs) => jobs.drain()))
    await drainAll()
    expect(ran).toHaveLength(0)
    for (let minute = 1; minute <= 3; minute++) {
      pass(60)
      await drainAll()
      await drainAll()
      expect(ran).toHaveLength(minute)
    }
    // The server was off for an hour: one run makes up for all of them.
    pass(3600)
    await drainAll()
    expect(ran).toHaveLength(4)
  })

  test('a daily job runs at its time, or at the next start if the server was off', async () => {
    const daily = () => ({ ...createRecorder('night.clean') })
    const first = daily()
    const before = openJobs('one')
    before.define([{ ...first.job, schedule: everyDay('03:10') }])
    await before.drain()
    setClock(new Date(2026, 10, 22, 3, 9, 59))
    await before.drain()
    expect(first.ran).toHaveLength(0)
    pass(1)
    await before.drain()
    expect(first.ran).toHaveLength(1)
    setClock(new Date(2026, 10, 23, 9, 0, 0))
    const second = daily()
    const after = openJobs('two')
    after.define([{ ...second.job, schedule: everyDay('03:10') }])
    await after.drain()
    await after.drain()
    expect(second.ran).toHaveLength(1)
  })

  test('a failing timed job is retried before its next run starts', async () => {
    const jobs = openJobs()
    let runs = 0
    const run = async () => {
      runs += 1
      throw new Error('no')
    }
    jobs.define([{ name: 'often', run, schedule: everyMinute, maxAttempts: 10 }])
    await jobs.drain()
    for (let minute = 0; minute < 3; minute++) {
      pass(60)
      await jobs.drain()
    }
    expect(runs).toBe(3)
    expect((await readRows()).filter(({ done_at }) => done_at === null)).toHaveLength(1)
  })

  test('old finished jobs are deleted, except the last run of a timed job', async () => {
    const { job } = createRecorder('night.clean')
    const one = createRecorder()
    const jobs = openJobs()
    jobs.define([{ ...job, schedule: everyDay('03:10') }, one.job])
    for (let day = 0; day < 3; day++) {
      await jobs.enqueue('work', day, { id: `work-${day}` })
      await jobs.drain()
      pass(86_400)
    }
    pass(10 * 86_400)
    await jobs.start()
    const ids = async () => (await readRows()).filter(({ done_at }) => done_at !== null).map(({ id }) => id)
    await expect.poll(async () => (await ids()).filter((id) => id.startsWith('work'))).toEqual(['work-2'])
  })
})

test('an invalid time of day is refused', () => {
  for (const time of ['24:00', '3:10', '03:60', '', '03:10:00'])
    expect(() => everyDay(time)).toThrow(/invalid time of day/)
  expect(everyDay('00:00').latestRun(new Date(2026, 0, 2))).toEqual(new Date(2026, 0, 2))
})

test.each([
  ['Europe/Berlin', '2026-03-28', '2026-10-24'],
  ['America/New_York', '2026-03-07', '2026-10-31'],
  ['Australia/Lord_Howe', '2026-04-04', '2026-10-03'],
  ['America/Santiago', '2026-04-04', '2026-09-05'],
])('a daily job is due once in a night when the clocks of %s change', (zone, ...days) => {
  const before = process.env.TZ
  process.env.TZ = zone
  onTestFinished(() => {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  })
  for (const day of days)
    for (const time of ['00:00', '00:30', '01:30', '02:00', '02:30', '03:00']) {
      const schedule = everyDay(time)
      const noon = new Date(`${day}T12:00`).getTime()
      const nextNoon = new Date(noon)
      nextNoon.setDate(nextNoon.getDate() + 1)
      const runs = new Set<number>()
      for (let at = noon; at <= nextNoon.getTime(); at += 300_000) {
        const run = schedule.latestRun(new Date(at))?.getTime() ?? 0
        expect(run).toBeLessThanOrEqual(at)
        if (run > noon) runs.add(run)
      }
      expect([day, time, runs.size]).toEqual([day, time, 1])
    }
})
