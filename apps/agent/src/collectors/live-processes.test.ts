import { spawn } from 'node:child_process'
import type { MachineProcess, ProcessSample } from '@muster/contract/agent/processes'
import { expect, onTestFinished, test, vi } from 'vitest'
import { AgentError } from '../errors.ts'
import type { ProcessTools, SeenProcess } from '../os/os.ts'
import { readProcStat } from '../os/linux/proc-stat.ts'
import { givenAgent, givenLog } from '../testing/given.ts'
import type { TestServer } from '../testing/test-server.ts'
import { ProcessWatch } from './live-processes.ts'
import { ProcessChanges } from './process-changes.ts'

function fake(pid: number, more: Partial<MachineProcess> = {}): MachineProcess {
  const name = `program-${pid}`
  return {
    pid,
    start: '1',
    parent_pid: 1,
    name,
    command: name,
    username: 'ada',
    started_at: null,
    state: 'running',
    nice: 0,
    ports: [],
    ...more,
  }
}

function seen(processes: MachineProcess[], memoryBytes = 100) {
  const entries: SeenProcess[] = processes.map((process) => ({ process, cpuSeconds: 1, memoryBytes }))
  return { processes: entries, cpu: { busy: 1, total: 2 }, memory: { totalBytes: 1000, usedBytes: 400 } }
}

test('a sample contains the changes since the last sent one, not since the last taken one', () => {
  const changes = new ProcessChanges()
  const [one, two] = [fake(1), fake(2)]
  changes.see(seen([one, two]))
  expect(changes.list()).toMatchObject([
    {
      whole: true,
      more: false,
      put: [one, two],
      use: [
        [1, 0, 100],
        [2, 0, 100],
      ],
    },
  ])
  changes.remember()
  changes.see(seen([one, two]))
  expect(changes.list()).toMatchObject([{ whole: false, put: [], use: [], gone: [] }])
  const again = fake(2, { start: '2' })
  changes.see(seen([again]))
  // The link was busy: the change is in the next sample.
  changes.see(seen([again, fake(3)], 200))
  expect(changes.list()).toMatchObject([
    {
      whole: false,
      gone: [1],
      put: [again, { pid: 3 }],
      use: [
        [2, 0, 200],
        [3, 0, 200],
      ],
    },
  ])
})

test('many processes arrive in parts, and those beyond the limit are counted', () => {
  const changes = new ProcessChanges()
  changes.see(seen(Array.from({ length: 5100 }, (_, index) => fake(index + 1))))
  const parts = changes.list()
  expect(parts).toHaveLength(10)
  expect(parts.map(({ whole, more }) => [whole, more])).toEqual([
    [true, true],
    ...Array.from({ length: 8 }, () => [false, true]),
    [false, false],
  ])
  expect(parts.at(-1)).toMatchObject({ left_out: 100 })
  expect(parts.at(-1)?.use).toHaveLength(5000)
})

const samplesOf = (server: TestServer): ProcessSample[] =>
  server.frames.flatMap((frame) => (frame.type === 'live-processes' ? [frame.look] : []))

function replyTo(server: TestServer, nonce: string) {
  return server.until(() => server.frames.find((frame) => frame.type === 'reply' && frame.nonce === nonce))
}

test('an agent sends its processes each second on request, ends processes, and stops with its link', async () => {
  const { server, agent } = await givenAgent({ expectedWarnings: [/command refused/] })
  server.command(server.sign('watch-processes', { seconds: 60 }))
  const first = await server.until(() => samplesOf(server)[0])
  expect(first.whole).toBe(true)
  expect(first.memory_total).toBeGreaterThan(first.memory_used)
  const child = spawn('sleep', ['1000'])
  onTestFinished(() => void child.kill('SIGKILL'))
  const reported = await server.until(() =>
    samplesOf(server)
      .flatMap(({ put }) => put)
      .find(({ pid }) => pid === child.pid),
  )
  expect(reported).toMatchObject({ name: 'sleep', command: 'sleep 1000', parent_pid: process.pid })
  const input = { pid: reported.pid, start: reported.start }
  const nice = server.sign(
    'set-priority',
    { ...input, nice: 3 },
    { payload: { nonce: 'nonce-of-the-priority' } },
  )
  server.command(nice)
  expect(await replyTo(server, 'nonce-of-the-priority')).toMatchObject({
    refused: null,
    answer: { name: 'sleep' },
  })
  expect(readProcStat(reported.pid)?.nice).toBe(3)
  const wrong = server.sign(
    'end-process',
    { ...input, start: '1', force: true, tree: true },
    { payload: { nonce: 'nonce-of-the-wrong-one' } },
  )
  server.command(wrong)
  expect(await replyTo(server, 'nonce-of-the-wrong-one')).toMatchObject({
    refused: expect.stringContaining('has already exited'),
    answer: null,
  })
  const end = server.sign(
    'end-process',
    { ...input, force: false, tree: false },
    { payload: { nonce: 'nonce-of-the-end-of-it' } },
  )
  server.command(end)
  expect(await replyTo(server, 'nonce-of-the-end-of-it')).toMatchObject({
    answer: { name: 'sleep', ended: 1, left: [] },
  })
  await server.until(() => samplesOf(server).some(({ gone }) => gone.includes(reported.pid)))
  expect(server.reports.filter(({ kind }) => kind === 'result')).toEqual([])
  const again = server.untilUp()
  agent.link.drop('a test')
  await again
  const count = samplesOf(server).length
  server.runShell(1, 'sleep 2.5')
  await server.result(1)
  expect(samplesOf(server)).toHaveLength(count)
})

test('a request that is refused early gets a reply; a forged one does not', async () => {
  const { server } = await givenAgent({ expectedWarnings: [/command refused/] })
  const input = { pid: 1, start: '1', force: true, tree: true }
  const expired = {
    nonce: 'nonce-of-an-expired-one',
    expires_at: '2020-01-01T00:00:01Z',
    issued_at: '2020-01-01T00:00:00Z',
  }
  server.command(server.sign('end-process', input, { payload: expired }))
  expect(await replyTo(server, expired.nonce)).toMatchObject({
    refused: expect.stringContaining('it expired'),
  })
  const hostile = server.sign(
    'end-process',
    { ...input, pid: -1 },
    { payload: { nonce: 'nonce-of-a-hostile-one' } },
  )
  server.command(hostile)
  expect(await replyTo(server, 'nonce-of-a-hostile-one')).toMatchObject({
    refused: expect.stringContaining('pid'),
  })
  const forged = server.sign('end-process', input, { payload: { nonce: 'nonce-of-a-forged-one' } })
  server.command({ ...forged, signature: hostile.signature })
  server.runShell(1, 'true')
  await server.result(1)
  expect(server.frames.filter((frame) => frame.type === 'reply')).toHaveLength(2)
})

test('a failing list is reported as the reason, and a later one from its start', async () => {
  let problem: string | undefined = 'Windows refused: Access is denied.'
  const sent: ProcessSample[] = []
  const read = async () => {
    if (problem !== undefined) throw new AgentError(problem)
    return seen([fake(1)])
  }
  const tools = { everyMs: 0, openReader: () => ({ read }) }
  using watch = new ProcessWatch({
    // Only the reader is used.
    loadTools: async () => tools as unknown as ProcessTools,
    send: (parts) => sent.push(...parts) > 0,
    log: givenLog().log,
  })
  watch.watch(60)
  await vi.waitFor(() => expect(sent[0]).toMatchObject({ problem, whole: false, put: [] }))
  problem = undefined
  const good = () => sent.find((sample) => sample.problem === undefined)
  await vi.waitFor(() => expect(good()).toMatchObject({ whole: true, put: [{ pid: 1 }] }))
})
