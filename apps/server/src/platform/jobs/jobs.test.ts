import { describe, expect, test } from 'vitest'
import type { Database } from '../database/database.ts'
import { testEngines } from '../database/test-engines.ts'
import { createTransactor } from '../database/transaction.ts'
import { createRecorder, useJobs } from './test-jobs.ts'

describe.each(testEngines)('$engine', ({ open }) => {
  const bench = useJobs(open)
  const { now, pass, openJobs, readRows } = bench

  test('a due job runs once with its payload, a later one at its time', async () => {
    const { ran, job } = createRecorder()
    const jobs = openJobs()
    jobs.define([job])
    await jobs.enqueue('work', { now: [1, '2'] })
    await jobs.enqueue('work', 'later', { dueAt: new Date(now().getTime() + 60_000) })
    await jobs.drain()
    await jobs.drain()
    expect(ran).toEqual([{ now: [1, '2'] }])
    pass(60)
    await jobs.drain()
    expect(ran).toEqual([{ now: [1, '2'] }, 'later'])
    for (const row of await readRows()) {
      expect(row).toMatchObject({ attempts: 1, last_error: null, claimed_by: null, claimed_until: null })
      expect(row.done_at).not.toBeNull()
    }
  })

  test('an id runs once, also after it is done, and an unknown name is refused', async () => {
    const { ran, job } = createRecorder()
    const jobs = openJobs()
    jobs.define([job])
    expect(await jobs.enqueue('work', 1, { id: 'only' })).toBe(true)
    await jobs.drain()
    expect(await jobs.enqueue('work', 2, { id: 'only' })).toBe(false)
    await jobs.drain()
    expect(ran).toEqual([1])
    await expect(jobs.enqueue('wrok', 1)).rejects.toThrow('unknown job: wrok')
    expect(() => jobs.define([job])).toThrow(/duplicate job name/)
  })

  test('a job stored in a transaction exists only after its commit, and may be woken from inside it', async () => {
    const { ran, job } = createRecorder()
    const jobs = openJobs()
    jobs.define([job])
    await jobs.start()
    const transaction = createTransactor<Database, never>(bench.database, () => undefined)
    const undone = transaction(async (tx) => {
      await jobs.enqueue('work', 'undone', { db: tx })
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    await transaction((tx) => jobs.enqueue('work', 'kept', { db: tx }))
    await expect.poll(() => ran).toEqual(['kept'])
    expect(bench.logged).toEqual([])
  })

  test('a failing job is logged, stored and retried after 5, 10, 20 s until it is given up', async () => {
    const jobs = openJobs()
    let runs = 0
    const run = async () => {
      runs += 1
      throw new Error(`failed ${runs}`)
    }
    jobs.define([{ name: 'work', run, maxAttempts: 3 }])
    await jobs.enqueue('work', null, { id: 'w' })
    await jobs.drain()
    expect(runs).toBe(1)
    expect(await readRows()).toMatchObject([{ last_error: 'failed 1', attempts: 1, done_at: null }])
    for (const [seconds, expected] of [
      [4, 1],
      [1, 2],
      [9, 2],
      [1, 3],
      [3600, 3],
    ] as const) {
      pass(seconds)
      await jobs.drain()
      expect(runs).toBe(expected)
    }
    expect(bench.logged).toEqual([
      'job failed and will be retried',
      'job failed and will be retried',
      'job failed and was given up',
    ])
    expect(await readRows()).toMatchObject([{ last_error: 'failed 3', attempts: 3, claimed_by: null }])
  })

  test('four processes run each of 200 jobs once', async () => {
    const ran: unknown[] = []
    const job = { name: 'work', run: async (payload: unknown) => void ran.push(payload) }
    const processes = ['a', 'b', 'c', 'd'].map((id) => openJobs(id))
    for (const jobs of processes) jobs.define([job])
    for (let i = 0; i < 200; i++) await processes[0]?.enqueue('work', i)
    await Promise.all(processes.map((jobs) => jobs.drain()))
    // A process that lost a race for rows ends its drain early. Together they leave nothing.
    await processes[0]?.drain()
    expect(ran.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 200 }, (_, i) => i))
  })

  test('a job of a dead process is taken over after a minute, and given up if it kills every process', async () => {
    const { ran, job } = createRecorder()
    const jobs = openJobs('two')
    jobs.define([{ ...job, maxAttempts: 2 }])
    await jobs.enqueue('work', 1, { id: 'w' })
    const dies = async (attempts: number) =>
      bench.database.db
        .updateTable('jobs')
        .set({ claimed_by: 'one', claimed_until: new Date(now().getTime() + 60_000).toISOString(), attempts })
        .execute()
    await dies(1)
    await jobs.drain()
    expect(ran).toEqual([])
    pass(61)
    await jobs.drain()
    expect(ran).toEqual([1])

    await bench.database.db.updateTable('jobs').set({ done_at: null }).execute()
    await dies(2)
    pass(61)
    await jobs.drain()
    expect(ran).toEqual([1])
    expect(await readRows()).toMatchObject([
      { last_error: 'the server ended while the job ran', attempts: 3 },
    ])
    expect(bench.logged).toEqual(['job failed and was given up'])
  })

  test('with the embedded database, a start takes over interrupted jobs at once', async () => {
    const { ran, job } = createRecorder()
    const jobs = openJobs('two')
    jobs.define([job])
    await jobs.enqueue('work', 1)
    await bench.database.db
      .updateTable('jobs')
      .set({
        claimed_by: 'one',
        claimed_until: new Date(now().getTime() + 60_000).toISOString(),
        attempts: 1,
      })
      .execute()
    await jobs.start()
    await jobs.drain()
    expect(ran).toEqual(bench.database.engine === 'sqlite' ? [1] : [])
  })

  test('a long job keeps its claim, and stopping waits for it', async () => {
    const first = openJobs('one')
    const started = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    let aborted = false
    const run = async (_payload: unknown, signal: AbortSignal) => {
      signal.addEventListener('abort', () => (aborted = true))
      started.resolve()
      await finish.promise
    }
    first.define([{ name: 'work', run }])
    await first.enqueue('work', null)
    await first.start()
    await started.promise
    const claimedUntil = async () => (await readRows())[0]?.claimed_until
    const before = await claimedUntil()
    pass(50)
    await expect.poll(claimedUntil).not.toBe(before)
    pass(50)

    const second = openJobs('two')
    const other = createRecorder()
    second.define([other.job])
    await second.drain()
    expect(other.ran).toEqual([])

    let stopped = false
    const stopping = first[Symbol.asyncDispose]().then(() => (stopped = true))
    expect(aborted).toBe(true)
    expect(stopped).toBe(false)
    finish.resolve()
    await stopping
    expect((await readRows())[0]?.done_at).not.toBeNull()
  })

  test('a job interrupted by a stop runs again without a lost attempt', async () => {
    const first = openJobs('one')
    const started = Promise.withResolvers<void>()
    const run = (_payload: unknown, signal: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        started.resolve()
      })
    first.define([{ name: 'work', run }])
    await first.enqueue('work', 7)
    await first.start()
    await started.promise
    await first[Symbol.asyncDispose]()
    expect(await readRows()).toMatchObject([
      { attempts: 0, claimed_by: null, done_at: null, last_error: null },
    ])
    const { ran, job } = createRecorder()
    const second = openJobs('two')
    second.define([job])
    await second.drain()
    expect(ran).toEqual([7])
    expect(bench.logged).toEqual([])
  })

  test('a database outage is logged once, and due jobs run after it', async () => {
    const { ran, job } = createRecorder()
    const jobs = openJobs()
    jobs.define([job])
    await jobs.start()
    const { schema } = bench.database.db
    await schema.alterTable('jobs').renameTo('jobs_away').execute()
    await expect.poll(() => bench.logged).toEqual(['jobs cannot be read'])
    await expect(jobs.enqueue('work', 1)).rejects.toThrow(/jobs/)
    await schema.alterTable('jobs_away').renameTo('jobs').execute()
    await jobs.enqueue('work', 2)
    await expect.poll(() => ran).toEqual([2])
    expect(bench.logged).toEqual(['jobs cannot be read'])
  })
})
