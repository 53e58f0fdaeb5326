import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Problems } from '../status-file.ts'
import { givenAgent, givenFolder, givenLog } from '../testing/given.ts'
import { givenBadDisk } from '../testing/given-disk.ts'
import { Nonces } from '../link/verify-command.ts'
import { Outbox } from './outbox.ts'
import { State } from './state.ts'

const TROUBLE = [
  /data folder is not usable/,
  /state file/,
  /part of the state/,
  /output dropped/,
  /outbox is full/,
]

function givenState(folder = givenFolder(), now = () => Date.now()) {
  const { log, lines } = givenLog(TROUBLE)
  const problems = new Problems()
  const state = new State({ folder, log, problems })
  onTestFinished(() => {
    state[Symbol.dispose]()
  })
  const outbox = new Outbox({ state, log, problems, now })
  const nonces = new Nonces({ state, now })
  return { folder, state, outbox, nonces, problems, lines }
}

const output = (historyId: number, chunk: number, bytes: number) =>
  ({ kind: 'output', history_id: historyId, chunk, stream: 'stdout', text: 'x'.repeat(bytes) }) as const
const result = (historyId: number) =>
  ({
    kind: 'result',
    history_id: historyId,
    at: new Date().toISOString(),
    outcome: 'exited',
    reason: null,
    retcode: 0,
    execution_time: 1,
    output_cut_bytes: 0,
  }) as const

test('reports wait in order, with rising numbers, also over a restart', () => {
  const first = givenState()
  first.outbox.append(output(1, 1, 10))
  first.outbox.append(result(1))
  const before = first.outbox.listAfter(0, 10)
  expect(before.map(({ json }) => (JSON.parse(json) as { kind: string }).kind)).toEqual(['output', 'result'])
  first.outbox.acknowledge(before[1]!.seq) // Two were just counted.
  first.state[Symbol.dispose]()
  rmSync(join(first.folder, 'state.db'))
  const second = givenState(first.folder)
  second.outbox.append(result(2))
  expect(second.outbox.listAfter(0, 10)[0]!.seq).toBeGreaterThan(before[1]!.seq)
})

test('numbers never go back, even when the clock does', () => {
  const first = givenState(givenFolder(), () => Date.parse('2030-01-01'))
  first.outbox.append(result(1))
  const [entry] = first.outbox.listAfter(0, 1)
  first.outbox.acknowledge(entry!.seq)
  first.state[Symbol.dispose]()
  const second = givenState(first.folder, () => Date.parse('2020-01-01'))
  second.outbox.append(result(2))
  expect(second.outbox.listAfter(0, 1)[0]!.seq).toBe(entry!.seq + 1)
})

test('beyond 50 MB the oldest output is dropped first and reported', () => {
  const { outbox, problems } = givenState()
  outbox.append(output(1, 1, 200_000))
  outbox.append(result(1))
  for (let chunk = 1; chunk <= 280; chunk += 1) outbox.append(output(2, chunk, 200_000))
  expect(outbox.bytes).toBeLessThanOrEqual(50 * 1024 * 1024)
  outbox.append(result(2))
  const left = outbox.listAfter(0, 1000).map(({ json }) => JSON.parse(json) as ReturnType<typeof result>)
  expect(left[0]).toMatchObject({ kind: 'result', history_id: 1, output_cut_bytes: 200_000 })
  const kept = left.filter(({ kind }) => (kind as string) === 'output').length
  expect(left.at(-1)).toMatchObject({
    kind: 'result',
    history_id: 2,
    output_cut_bytes: (280 - kept) * 200_000,
  })
  expect(problems.list()[0]).toMatch(/^\d+ bytes of output were dropped/)
})

test('output is dropped after a week, results are not', () => {
  let now = Date.now()
  const { outbox } = givenState(givenFolder(), () => now)
  outbox.append(output(1, 1, 100))
  outbox.append(result(1))
  now += 8 * 24 * 3600 * 1000
  outbox.dropOld()
  expect(outbox.listAfter(0, 10)).toHaveLength(1)
  expect(outbox.listRuns()).toEqual([1])
})

const checks = (nowMs: number, results: number, reason: string) =>
  ({
    kind: 'checks',
    results: Array.from({ length: results }, (_, index) => ({
      check_id: index + 1,
      revision: 'r',
      at: new Date(nowMs + index).toISOString(),
      measured: { check_type: 'unmeasurable' as const, reason },
    })),
  }) as const

test('check results wait for a week while the server is offline, and are then dropped and counted', () => {
  const start = Date.parse('2026-03-01T00:00:00Z')
  let now = start
  const first = givenState(givenFolder(), () => now)
  first.outbox.append(result(1))
  for (let hour = 0; hour < 9 * 24; hour += 1) {
    first.outbox.append(checks(now, 2, 'none'))
    now += 3_600_000
    first.outbox.dropOld()
  }
  first.state[Symbol.dispose]()
  const { outbox } = givenState(first.folder, () => now)
  const left = () => outbox.listAfter(0, 1000).map(({ json }) => JSON.parse(json) as { kind: string })
  expect(left()).toHaveLength(1 + 7 * 24)
  outbox.reportDroppedChecks()
  outbox.reportDroppedChecks()
  expect(left().slice(1 + 7 * 24)).toEqual([
    {
      kind: 'checks-dropped',
      count: 2 * 2 * 24,
      from: new Date(start).toISOString(),
      to: new Date(start + 47 * 3_600_000 + 1).toISOString(),
    },
  ])
})

test('beyond 50 MB check results are dropped after output and before results of runs', () => {
  const { outbox } = givenState()
  const start = Date.now()
  outbox.append(result(1))
  outbox.append(output(1, 1, 1000))
  for (let index = 0; index < 450; index += 1)
    outbox.append(checks(start + index * 1000, 300, 'x'.repeat(400)))
  expect(outbox.bytes).toBeLessThanOrEqual(50 * 1024 * 1024)
  outbox.reportDroppedChecks()
  const left = outbox
    .listAfter(0, 1000)
    .map(({ json }) => JSON.parse(json) as { kind: string; count?: number })
  expect(left[0]).toMatchObject({ kind: 'result', output_cut_bytes: 1000 })
  const kept = left.filter(({ kind }) => kind === 'checks').length
  expect(kept).toBeGreaterThan(250)
  expect(left.at(-1)).toMatchObject({ kind: 'checks-dropped', count: (450 - kept) * 300 })
})

test('a state file of the previous version is migrated with its content', () => {
  const first = givenState()
  first.outbox.append(result(1))
  first.state.write((database) =>
    database.exec('drop table checks; drop table tasks; drop table task_runs; pragma user_version = 1'),
  )
  first.state[Symbol.dispose]()
  const { outbox, state } = givenState(first.folder)
  expect(outbox.listAfter(0, 10)).toHaveLength(1)
  expect(state.read((database) => database.all('select * from checks'))).toEqual([])
  expect([state.inMemory, state.completeAtStart]).toEqual([false, true])
})

test('nonces survive a restart and clock changes', () => {
  let now = Date.now()
  const first = givenState(givenFolder(), () => now)
  first.nonces.remember('nonce-1', now + 1000)
  first.state[Symbol.dispose]()
  now += 400 * 24 * 3600 * 1000
  const second = givenState(first.folder, () => now)
  expect(second.nonces.wasSeen('nonce-1')).toBe(true)
  expect(second.nonces.wasSeen('nonce-2')).toBe(false)
  expect(second.state.completeAtStart).toBe(true)
})

test('a full disk moves the state to memory and back without loss', () => {
  const disk = givenBadDisk()
  const { state, outbox, nonces, problems } = givenState(disk.folder)
  outbox.append(result(1))
  nonces.remember('before', Date.now() + 1000)
  disk.spoil()
  for (let chunk = 1; chunk <= 10; chunk += 1) outbox.append(output(2, chunk, 100_000))
  expect(state.inMemory).toBe(true)
  expect(problems.list()[0]).toMatch(
    /cannot write its data folder .* \((the disk is full|it is not writable)\)/,
  )
  nonces.remember('during', Date.now() + 1000)
  expect(outbox.listAfter(0, 20)).toHaveLength(11)
  expect(nonces.wasSeen('before')).toBe(true)
  outbox.acknowledge(outbox.listAfter(0, 8).at(-1)!.seq)
  state.moveToDisk()
  expect(state.inMemory).toBe(true)
  disk.repair()
  state.moveToDisk()
  expect(state.inMemory).toBe(false)
  expect(problems.list()).toEqual([])
  expect(outbox.listAfter(0, 20)).toHaveLength(3)
  expect([nonces.wasSeen('before'), nonces.wasSeen('during')]).toEqual([true, true])
  state[Symbol.dispose]()
  expect(givenState(disk.folder).state.completeAtStart).toBe(true)
})

test('an agent that lost nonces with a full disk knows it after a restart', () => {
  const disk = givenBadDisk()
  const { state, nonces } = givenState(disk.folder)
  disk.spoil()
  for (let index = 0; index < 20_000 && !state.inMemory; index += 1)
    nonces.remember(`nonce ${index}`, Date.now())
  expect(state.inMemory).toBe(true)
  state[Symbol.dispose]()
  disk.repair()
  if (process.getuid?.() === 0) expect(givenState(disk.folder).state.completeAtStart).toBe(false)
})

test('without a usable data folder the agent starts in memory', () => {
  const folder = givenFolder()
  mkdirSync(join(folder, 'state.db'))
  const { state, outbox, problems } = givenState(folder)
  expect([state.inMemory, state.completeAtStart]).toEqual([true, false])
  outbox.append(result(1))
  rmSync(join(folder, 'state.db'), { recursive: true })
  state.moveToDisk()
  expect(state.inMemory).toBe(false)
  expect(outbox.listAfter(0, 5)).toHaveLength(1)
  expect(problems.list()).toEqual([])
})

test('a damaged state file is moved aside', () => {
  const folder = givenFolder()
  writeFileSync(join(folder, 'state.db'), 'this is not a database, '.repeat(500))
  const { state, outbox } = givenState(folder)
  expect([state.inMemory, state.completeAtStart]).toEqual([false, false])
  outbox.append(result(1))
  expect(outbox.listAfter(0, 5)).toHaveLength(1)
})

test('with a full disk the agent still runs commands and reports the problem', async () => {
  const disk = givenBadDisk()
  const { server } = await givenAgent({ folder: disk.folder, expectedWarnings: TROUBLE })
  disk.spoil()
  server.runShell(1, 'head -c 300000 /dev/zero | tr "\\0" a')
  await expect(server.result(1)).resolves.toMatchObject({ outcome: 'exited', output_cut_bytes: 0 })
  expect(server.outputOf(1)).toHaveLength(300_000)
  const script = {
    interpreter: 'shell',
    body: 'echo from a script',
    args: [],
    env_vars: [],
    run_as_user: null,
    timeout_seconds: 9,
    output_cap_bytes: 1000,
  } as const
  server.command(
    server.sign('run-script', { ...script, args: [], env_vars: [] }, { payload: { history_id: 2 } }),
  )
  await server.result(2)
  expect(server.outputOf(2)).toBe('from a script\n')
  const problems = () =>
    server.reports.flatMap((report) => (report.kind === 'facts' ? (report.facts.problems ?? []) : []))
  await server.until(() => problems().some((sentence) => sentence.includes('cannot write its data folder')))
})

test('a script that cannot be written fails with a message', async () => {
  const disk = givenBadDisk()
  const { server } = await givenAgent({ folder: disk.folder, expectedWarnings: TROUBLE })
  disk.spoil()
  vi.stubEnv('TMPDIR', '/no/such/folder')
  onTestFinished(() => void vi.unstubAllEnvs())
  const script = {
    interpreter: 'shell' as const,
    body: 'echo hi'.padEnd(100_000),
    args: [],
    env_vars: [],
    run_as_user: null,
    timeout_seconds: 9,
    output_cap_bytes: 1000,
  }
  server.command(server.sign('run-script', script, { payload: { history_id: 1 } }))
  await expect(server.result(1)).resolves.toMatchObject({
    outcome: 'failed',
    reason: expect.stringContaining(
      'failed to write the script to the data folder and to the temporary folder',
    ),
  })
})
