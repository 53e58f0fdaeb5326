import { generateKeyPairSync } from 'node:crypto'
import type { Report } from '@muster/contract/agent/link'
import { expect, onTestFinished, test, vi } from 'vitest'
import { linuxProbes } from '../os/linux/probes.ts'
import { os } from '../os/index.ts'
import { Problems } from '../status-file.ts'
import { KeyValueStore, State } from '../state/state.ts'
import { Outbox } from '../state/outbox.ts'
import { BackgroundRuns } from '../run/background-runs.ts'
import { makeSeal } from '../state/seal.ts'
import { givenChecks, memory, script, wantedOf } from '../testing/given-checks.ts'
import { givenFolder, givenLog } from '../testing/given.ts'
import { CheckScripts } from './check-scripts.ts'
import { Checks } from './checks.ts'
import { loadCheckTypes } from './table.ts'
import { LONG_PATIENCE_MS } from '../../../../tools/patience.ts'

const HOUR = 3_600_000
/** All checks belong to one machine. */
const seal = makeSeal(generateKeyPairSync('ed25519').privateKey)

/** Checks on a machine without a link, whose memory check takes no time. */
function givenMachine(folder = givenFolder()) {
  const { log } = givenLog()
  const state = new State({ folder, log, problems: new Problems() })
  const outbox = new Outbox({ state, log, problems: new Problems(), now: () => Date.now() })
  const keyValues = new KeyValueStore(state)
  let measured = 0
  const readMemory = async () => {
    measured += 1
    return { totalBytes: 100, availableBytes: 40, swap: null }
  }
  const checks = new Checks({
    state,
    keyValues,
    seal,
    outbox,
    log,
    os: { ...os, loadProbes: async () => ({ ...linuxProbes, readMemory }) },
    scripts: new CheckScripts({
      runs: new BackgroundRuns({ name: 'check_markers', os, log, keyValues, pipeFolder: folder }),
      context: { os, dataFolder: folder },
    }),
    problems: new Problems(),
    now: () => Date.now(),
  })
  const stop = async () => {
    await checks[Symbol.asyncDispose]()
    state[Symbol.dispose]()
  }
  onTestFinished(stop)
  const reports = (): Report[] => outbox.listAfter(0, 100_000).map(({ json }) => JSON.parse(json) as Report) // As keyValues.
  const results = () => reports().flatMap((report) => (report.kind === 'checks' ? report.results : []))
  return { folder, checks, outbox, reports, results, measured: () => measured, stop }
}

test('while the server is offline for nine days, every result is stored for a week or counted as dropped', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { checks, outbox, reports, results, measured } = givenMachine()
  // Loading takes real time; the nine days below leave little of it.
  await Promise.all([import('./measure-check.ts'), loadCheckTypes()])
  const put = givenChecks(
    ...[600, 600, 3600].map((seconds) => ({ ...memory, run_interval_seconds: seconds })),
  )
  checks.set({ version: 1, wanted: wantedOf(put), put })
  await new Promise((resolve) => setImmediate(resolve))
  for (let hour = 0; hour < 9 * 24; hour += 1) {
    await vi.advanceTimersByTimeAsync(HOUR)
    outbox.dropOld()
  }
  outbox.reportDroppedChecks()
  const dropped = reports().find((report) => report.kind === 'checks-dropped')
  expect(measured()).toBeGreaterThan(9 * 24 * 12)
  expect(results().length + (dropped?.count ?? 0)).toBe(measured())
  const oldest = Math.min(...results().map(({ at }) => Date.parse(at)))
  expect(Date.now() - oldest).toBeLessThanOrEqual(7 * 24 * HOUR + 1000)
  expect(Date.now() - oldest).toBeGreaterThan(7 * 24 * HOUR - 3 * HOUR)
  expect(Date.parse(dropped?.to ?? '')).toBeLessThan(oldest)
})

test('while the server is offline for ten minutes, each check keeps its interval', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { checks, results } = givenMachine()
  await Promise.all([import('./measure-check.ts'), loadCheckTypes()])
  const put = givenChecks({ ...memory, run_interval_seconds: 30 }, { ...memory, run_interval_seconds: 60 })
  checks.set({ version: 1, wanted: wantedOf(put), put })
  await new Promise((resolve) => setImmediate(resolve))
  const began = Date.now()
  await vi.advanceTimersByTimeAsync(600_000)
  for (const { id, run_interval_seconds } of put) {
    const times = results().flatMap(({ check_id, at }) => (check_id === id ? [Date.parse(at)] : []))
    const gaps = [...times, Date.now()].map((time, index) => time - (times[index - 1] ?? began))
    // Within a twentieth; the clock runs on while a measurement takes real time.
    expect(Math.max(...gaps)).toBeLessThanOrEqual(run_interval_seconds * 1050 + 1000)
    expect(times.length).toBeGreaterThanOrEqual(600 / (run_interval_seconds * 1.05))
  }
})

test('five thousand checks arrive in parts, are all measured, and leave nothing behind when removed', async () => {
  const { checks, reports, results } = givenMachine()
  const put = givenChecks(...Array.from({ length: 5000 }, () => memory))
  const wanted = wantedOf(put)
  for (let start = 0; start < put.length; start += 500)
    checks.set({ version: 1, wanted, put: put.slice(start, start + 500) })
  expect(checks.version).toBe(1)
  checks.runNow(null)
  await vi.waitFor(() => expect(results()).toHaveLength(5000), { timeout: LONG_PATIENCE_MS, interval: 200 })
  expect(new Set(results().map(({ check_id }) => check_id)).size).toBe(5000)
  expect(reports().every(({ kind }) => kind === 'checks')).toBe(true)
  checks.set({ version: 2, wanted: [], put: [] })
  checks.runNow(null)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(checks.version).toBe(2)
  expect(results()).toHaveLength(5000)
})

test('definitions survive a restart, including unsupported ones', async () => {
  const first = givenMachine()
  const put = [...givenChecks(memory), { id: 2, revision: 'x', check_type: 'later' }]
  first.checks.set({ version: 7, wanted: [...wantedOf(givenChecks(memory)), { id: 2, revision: 'x' }], put })
  await first.stop()
  const second = givenMachine(first.folder)
  expect(second.checks.version).toBe(7)
  second.checks.start()
  second.checks.runNow(null)
  await vi.waitFor(() => expect(second.results()).toHaveLength(2))
  expect(
    second
      .results()
      .map(({ measured }) => measured.check_type)
      .toSorted(),
  ).toEqual(['memory', 'unmeasurable'])
})

test('more check scripts than a machine can store are refused with a message', async () => {
  const { checks, results } = givenMachine()
  const put = givenChecks(
    ...Array.from({ length: 110 }, () => script(`exit 0 #${'x'.repeat(999_000)}`)),
    memory,
  )
  checks.set({ version: 1, wanted: wantedOf(put), put })
  expect(checks.version).toBe(1)
  checks.runNow([110, 111])
  await vi.waitFor(() => expect(results().map(({ check_id }) => check_id)).toContain(110))
  expect(results().find(({ check_id }) => check_id === 110)?.measured).toMatchObject({
    check_type: 'unmeasurable',
    reason: expect.stringContaining('more check scripts than it can store'),
  })
})
