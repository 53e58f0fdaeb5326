import type { Report } from '@muster/contract/agent/link'
import { pino } from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import type { AgentSocket } from './agent-socket.ts'
import { type QueuedReport, ReportQueue } from './report-queue.ts'

const FACTS: Report = { kind: 'facts', facts: { needs_reboot: true } }
const OUTPUT: Report = { kind: 'output', history_id: 1, chunk: 0, stream: 'stdout', text: 'x' }
const AT = '2026-03-01T12:00:00.000Z'
const TOOK = { execution_time: 0.01, output_cut_bytes: 0 }

afterEach(() => vi.useRealTimers())

/** The clock is stopped, so no batch is flushed by time. */
function prepare() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const stored: string[][] = []
  const acknowledged: number[] = []
  const queue = new ReportQueue(pino({ level: 'silent' }), {
    store: async (batch: QueuedReport[]) => void stored.push(batch.map(({ report }) => report.kind)),
    onFull() {},
    onRoom() {},
  })
  // The queue only calls acknowledge and release here.
  const socket = { agentId: 'a', acknowledge: (seq: number) => acknowledged.push(seq), release() {} }
  let seq = 0
  const add = (report: Report) =>
    queue.add(socket as unknown as AgentSocket, { seq: (seq += 1), report, bytes: 50 })
  return { stored, acknowledged, add }
}

const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
}

test('a single report is stored at once, and the next ones wait briefly to share a transaction', async () => {
  const { stored, acknowledged, add } = prepare()
  add(FACTS)
  await turns()
  expect(stored).toEqual([['facts']])
  add(FACTS)
  await turns()
  add(FACTS)
  await turns()
  expect(stored).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(20)
  await turns()
  expect(stored).toEqual([['facts'], ['facts', 'facts']])
  expect(acknowledged).toEqual([1, 3])
})

test('an urgent report does not wait, and flushes the waiting ones', async () => {
  const { stored, add } = prepare()
  add(FACTS)
  await turns()
  add(FACTS)
  await turns()
  add(OUTPUT)
  await turns()
  expect(stored).toEqual([['facts'], ['facts', 'output']])
  add(FACTS)
  await turns()
  expect(stored).toHaveLength(2)
})

test('the start of a command is stored together with a result that follows at once', async () => {
  const { stored, acknowledged, add } = prepare()
  add(FACTS)
  await turns()
  add({ kind: 'accepted', history_id: 1, at: AT })
  await turns()
  add({ kind: 'started', history_id: 1, at: AT })
  await turns()
  expect(stored).toHaveLength(1)
  add({ kind: 'result', history_id: 1, at: AT, outcome: 'exited', reason: null, retcode: 0, ...TOOK })
  await turns()
  expect(stored).toEqual([['facts'], ['accepted', 'started', 'result']])
  expect(acknowledged).toEqual([1, 4])
})

test('a full batch does not wait', async () => {
  const { stored, add } = prepare()
  add(FACTS)
  await turns()
  for (let count = 0; count < 99; count++) add(FACTS)
  await turns()
  expect(stored).toHaveLength(1)
  add(FACTS)
  await turns()
  expect(stored.map((batch) => batch.length)).toEqual([1, 100])
})

test('reading pauses for an agent with too many unstored reports, and for all agents at the common limit', async () => {
  let store = Promise.withResolvers<void>()
  const seen: string[] = []
  const queue = new ReportQueue(pino({ level: 'silent' }), {
    store: () => store.promise,
    onFull: () => seen.push('full'),
    onRoom: () => seen.push('room'),
  })
  const add = (agentId: string, bytes: number) => {
    const socket = {
      agentId,
      acknowledge() {},
      hold: (reason: string) => seen.push(`hold ${agentId}: ${reason}`),
      release: () => seen.push(`release ${agentId}`),
    }
    // The queue only calls acknowledge, hold and release.
    queue.add(socket as unknown as AgentSocket, { seq: 1, report: OUTPUT, bytes })
  }
  add('a', 100_000)
  expect(seen).toEqual([])
  add('b', 300_000)
  expect(seen).toEqual(['hold b: own reports'])
  store.resolve()
  await vi.waitFor(() => expect(seen).toContain('release b'))
  store = Promise.withResolvers<void>()
  seen.length = 0
  // Nothing is refused or dropped above the limit.
  for (let count = 0; count < 20; count += 1) add(`${count}`, 2 * 1024 * 1024)
  expect(queue.size).toBe(20)
  expect(queue.isFull).toBe(true)
  expect(seen.filter((one) => one === 'full')).toHaveLength(1)
  store.resolve()
  await vi.waitFor(() => expect(queue.size).toBe(0))
  expect(seen.filter((one) => one === 'room')).toHaveLength(1)
  expect(queue.isFull).toBe(false)
})
