import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { givenMeasure } from '../testing/given-measure.ts'
import { givenPrograms } from '../testing/given-programs.ts'
import { givenFolder } from '../testing/given.ts'
import { pingPosix } from '../os/posix-ping.ts'
import { describeMissing } from '../run/describe-missing.ts'
import { MeasureError } from '../errors.ts'

test('the first CPU load is an average over two seconds', async () => {
  const { measure, memory } = givenMeasure()
  const started = performance.now()
  const first = await measure({ check_type: 'cpuload', settings: {} })
  expect((memory.cpu?.atMs ?? 0) - started).toBeGreaterThan(1900)
  expect(first).toMatchObject({ check_type: 'cpuload', percent: expect.any(Number) })
})

test.each([
  [
    'half of the time',
    [
      { busy: 0, total: 0 },
      { busy: 500, total: 1000 },
      { busy: 600, total: 2000 },
    ],
    [50, 10],
  ],
  [
    'counters that go back',
    [
      { busy: 900, total: 1000 },
      { busy: 950, total: 1100 },
      { busy: 5, total: 10 },
      { busy: 6, total: 20 },
    ],
    [50, 10],
  ],
])('the load of %s', async (_, answers, expected) => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const left = [...answers]
  const { measure } = givenMeasure({ readCpuTimes: async () => left.shift() ?? { busy: 0, total: 0 } })
  const percents: unknown[] = []
  for (let run = 0; run < expected.length; run += 1) {
    percents.push(await measure({ check_type: 'cpuload', settings: {}, run_interval_seconds: 60 }))
    vi.advanceTimersByTime(60_000)
  }
  expect(percents).toEqual(expected.map((percent) => ({ check_type: 'cpuload', percent })))
})

test('counters that stand are no load of 0 %', async () => {
  const { measure } = givenMeasure({ readCpuTimes: async () => ({ busy: 0, total: 0 }) })
  await expect(measure({ check_type: 'cpuload', settings: {} })).resolves.toEqual({
    check_type: 'unmeasurable',
    reason: 'The system does not count the time of its processors.',
  })
})

test('a ping check without the program ping is not measured, and names the package', async () => {
  const folder = givenFolder()
  writeFileSync(join(folder, 'apt-get'), '#!/bin/sh\n', { mode: 0o755 })
  vi.stubEnv('PATH', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { measure } = givenMeasure({
    ping: (host, signal) => pingPosix(host, { signal, waitFor: '2', program: 'ping-of-a-test' }),
  })
  await expect(measure({ check_type: 'ping', settings: { ip: '127.0.0.1' } })).resolves.toEqual({
    check_type: 'unmeasurable',
    reason: 'ping-of-a-test is missing on this machine.',
    not_measured: true,
  })
  expect(describeMissing('ping')).toBe(
    'ping is missing on this machine. To install it: apt-get install iputils-ping',
  )
})

test.each([
  [
    'a target that does not respond',
    'The disk /data did not respond.',
    new MeasureError('The disk /data did not respond.'),
  ],
  ['an unexpected error', 'Failed to measure: broken.', new Error('broken')],
])('%s is not marked as not measured', async (_, reason, error) => {
  const { measure } = givenMeasure({
    findProcesses: () => Promise.reject(error),
  })
  const measured = await measure({ check_type: 'process', settings: { process_name: 'x' } })
  expect(measured).toEqual({ check_type: 'unmeasurable', reason })
})

test('a service check on a machine without systemd is not measured', async () => {
  givenPrograms({ systemctl: 'echo "System has not been booted with systemd as init system" >&2; exit 1' })
  const { measure } = givenMeasure()
  await expect(
    measure({ check_type: 'service', settings: { svc_name: 'cron', restart_if_stopped: false } }),
  ).resolves.toMatchObject({ check_type: 'unmeasurable', not_measured: true })
})

test('a file check tests existence, size and age', async () => {
  const { measure, folder } = givenMeasure()
  const path = join(folder, 'backup ü.tar')
  const file = { check_type: 'file', settings: { path } } as const
  await expect(measure(file)).resolves.toEqual({
    check_type: 'file',
    exists: false,
    size_bytes: 0,
    age_seconds: 0,
  })
  writeFileSync(path, 'x'.repeat(1234))
  utimesSync(path, new Date(), new Date(Date.now() - 3_600_000))
  const measured = await measure(file)
  expect(measured).toMatchObject({ exists: true, size_bytes: 1234 })
  expect((measured as { age_seconds: number }).age_seconds).toBeCloseTo(3600, -1) // A file was measured.
  await expect(measure({ ...file, settings: { path: `${path}/below` } })).resolves.toMatchObject({
    exists: false,
  })
  await expect(measure({ ...file, settings: { path: 'backup.tar' } })).resolves.toMatchObject({
    check_type: 'unmeasurable',
    reason: 'Use the full path of the file instead of backup.tar.',
  })
  await expect(measure({ ...file, settings: { path: '/a\0b' } })).resolves.toMatchObject({
    check_type: 'unmeasurable',
  })
})

/** A systemctl that stores the state of one service in a file. */
function givenSystemctl(state: string, startsTo = 'active'): void {
  const folder = givenPrograms({
    systemctl: `if [ "$1" = start ]; then
  [ ${startsTo} = refuse ] && { echo "Job for x.service failed." >&2; exit 1; }
  echo ${startsTo} > "$here/state"; exit 0
fi
echo LoadState=loaded; echo "ActiveState=$(cat "$here/state")"; echo SubState=any`,
  })
  writeFileSync(join(folder, 'state'), state)
}

const service = (restart_if_stopped: boolean) =>
  ({ check_type: 'service', settings: { svc_name: 'x', restart_if_stopped } }) as const

test('a stopped service is started again if configured', async () => {
  givenSystemctl('inactive')
  const { measure } = givenMeasure()
  await expect(measure(service(false))).resolves.toMatchObject({ state: 'stopped', restarted: false })
  await expect(measure(service(true))).resolves.toMatchObject({ state: 'running', restarted: true })
  await expect(measure(service(true))).resolves.toMatchObject({ state: 'running', restarted: false })
})

test('a service that cannot be started reports the reason', async () => {
  givenSystemctl('failed', 'refuse')
  await expect(givenMeasure().measure(service(true))).resolves.toMatchObject({
    state: 'failed',
    restarted: false,
    detail: 'Failed to start: Job for x.service failed.',
  })
})

test('a check of every disk reports the fullest one, and a disk that fails hides no other', async () => {
  const spaces: Record<string, number> = { '/': 60, '/srv': 5, '/empty': 0 }
  const { measure } = givenMeasure({
    listDisks: async () => ['/', '/broken', '/srv', '/empty'],
    measureMount: async (disk) => {
      const free = spaces[disk]
      if (free === undefined) throw new Error('the disk is on fire')
      const totalBytes = disk === '/empty' ? 0 : 100
      return { totalBytes, usedBytes: totalBytes - free, freeBytes: free, inodes: null }
    },
  })
  await expect(measure({ check_type: 'diskspace', settings: { disk: '*' } })).resolves.toMatchObject({
    exists: true,
    disk: '/srv',
    free_bytes: 5,
    unmeasured: [{ disk: '/broken', reason: 'the disk is on fire' }],
  })
})

test('a check of every disk measures this machine', async () => {
  const { measure } = givenMeasure()
  const found = await measure({ check_type: 'diskspace', settings: { disk: '*' } })
  expect(found).toMatchObject({ check_type: 'diskspace', exists: true, disk: expect.stringMatching(/^\//) })
})

test('a check of every disk says when it finds none', async () => {
  const { measure } = givenMeasure({ listDisks: async () => [] })
  await expect(measure({ check_type: 'diskspace', settings: { disk: '*' } })).resolves.toMatchObject({
    reason: 'No disk was found.',
  })
})

test('every failure is a message, and invalid numbers are no result', async () => {
  const { measure } = givenMeasure({
    readMemory: async () => ({ totalBytes: Number.NaN, availableBytes: 1, swap: null }),
    findProcesses: async () => ({ count: -1, memoryBytes: Infinity }),
    measureMount: () => Promise.reject(new Error('the disk is on fire')),
  })
  await expect(measure({ check_type: 'memory', settings: {} })).resolves.toMatchObject({
    reason: 'The system does not report its memory size.',
  })
  await expect(measure({ check_type: 'process', settings: { process_name: 'x' } })).resolves.toMatchObject({
    reason: expect.stringContaining('The system returned an invalid value: count'),
  })
  await expect(measure({ check_type: 'diskspace', settings: { disk: '/' } })).resolves.toMatchObject({
    reason: 'Failed to measure: the disk is on fire.',
  })
})

test('a hanging check times out, and is not started again before it has ended', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const answer = Promise.withResolvers<{ count: number; memoryBytes: number }>()
  let asked = 0
  const { measure } = givenMeasure({
    findProcesses: () => {
      asked += 1
      return asked === 1 ? answer.promise : Promise.resolve({ count: 2, memoryBytes: 0 })
    },
  })
  const check = { check_type: 'process', settings: { process_name: 'x' } } as const
  const first = measure(check)
  await vi.waitFor(() => expect(asked).toBe(1))
  await vi.advanceTimersByTimeAsync(30_000)
  await expect(first).resolves.toMatchObject({ reason: 'Timed out after 30 seconds.' })
  await expect(measure(check)).resolves.toMatchObject({
    reason: expect.stringContaining('has not finished yet'),
  })
  await expect(measure(check, 2)).resolves.toMatchObject({ count: 2 })
  answer.resolve({ count: 1, memoryBytes: 0 })
  await answer.promise
  vi.useRealTimers()
  await sleep(0)
  await expect(measure(check)).resolves.toMatchObject({ count: 2 })
})
