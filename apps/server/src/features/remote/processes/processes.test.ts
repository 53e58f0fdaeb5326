import type { ProcessSample } from '@muster/contract/agent/processes'
import { listAudit } from '@muster/contract/api/audit'
import { endProcess, listProcesses, setPriority, watchProcesses } from '@muster/contract/api/processes'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { TestAgent } from '../../agents/test-agent.ts'

const SUMS = { left_out: 0, cpu_percent: 12.5, memory_total: 1000, memory_used: 400 }

function look(more: Partial<ProcessSample>): { type: 'live-processes'; look: ProcessSample } {
  return {
    type: 'live-processes',
    look: { whole: false, more: false, put: [], use: [], gone: [], ...SUMS, ...more },
  }
}

function fake(pid: number, name: string, more: object = {}): ProcessSample['put'][number] {
  const lasting = { command: name, username: 'ada', started_at: null, state: 'running' as const }
  return { pid, start: '1', parent_pid: 1, name, nice: 0, ports: [], ...lasting, ...more }
}

async function prepare(server: TestServer) {
  const { url } = await server.listen()
  const site = await server.given.site()
  const agent = await TestAgent.enrol(server, url, site.id)
  const params = { agent_id: agent.agentId }
  const user = await server.given.user({
    username: 'ada',
    permissions: ['can_manage_procs', 'can_view_auditlogs'],
  })
  const ada = server.as(user)
  const watch = async (after = '') => (await ada.call(watchProcesses, { params, query: { after } })).body
  /** Responds to the next request as the machine. */
  const reply = async (from: number, more: object) => {
    const { payload } = await agent.nextCommand(from)
    agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer: null, ...more })
    return payload
  }
  const audit = async () =>
    (await ada.call(listAudit, { body: {} })).body.audit_logs.filter(
      ({ object_type }) => object_type === 'process',
    )
  return { agent, params, ada, watch, reply, audit, [Symbol.dispose]: () => agent.cut() }
}

test('a viewer gets everything first and then changes, from any process', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, watch } = fixture
  expect(await watch('x.7')).toMatchObject({ connected: false, processes: [], next: 'x.7' })
  const from = agent.frames.length
  await agent.connect()
  const asked = watch()
  expect((await agent.nextCommand(from)).payload).toMatchObject({
    name: 'watch-processes',
    input: { seconds: 30 },
  })
  // A scan in transit from an earlier watch is not complete.
  agent.send(look({ put: [fake(9, 'stale')] }))
  agent.send(look({ whole: true, more: true, put: [fake(1, 'init'), fake(2, 'sh')] }))
  agent.send(
    look({
      put: [fake(3, 'sleep')],
      use: [
        [1, 0, 10],
        [2, 1.5, 20],
        [3, 0, 30],
      ],
    }),
  )
  const first = await asked
  expect(first).toMatchObject({ connected: true, whole: true, more: false, gone: [], ...SUMS })
  expect(first.processes.map(({ name, cpu_percent, membytes }) => [name, cpu_percent, membytes])).toEqual([
    ['init', 0, 10],
    ['sh', 1.5, 20],
    ['sleep', 0, 30],
  ])
  agent.send(look({ put: [fake(2, 'bash', { start: '2' })], use: [[3, 50, 30]], gone: [1] }))
  const second = await watch(first.next)
  expect(second).toMatchObject({ whole: false, gone: [1] })
  // The second one with this number has used nothing yet.
  expect(second.processes).toMatchObject([
    { name: 'bash', cpu_percent: 0 },
    { name: 'sleep', cpu_percent: 50 },
  ])
  // A later viewer, or one from another process of the server, gets everything.
  expect(await watch('another.3')).toMatchObject({
    whole: true,
    processes: [{ name: 'bash' }, { name: 'sleep' }],
  })
})

test('a list that exceeds one response comes in several, and none is lost', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params } = fixture
  await agent.connect()
  const asked = ada.call(listProcesses, { params })
  await agent.nextCommand(0)
  const all = Array.from({ length: 1000 }, (_, index) => fake(index + 1, 'x', { command: 'y'.repeat(900) }))
  agent.send(look({ whole: true, more: true, put: all.slice(0, 500) }))
  agent.send(look({ put: all.slice(500), use: all.map(({ pid }) => [pid, 0, pid]) }))
  const { body } = await asked
  expect(new Set(body.map(({ id }) => id)).size).toBe(1000)
  expect(body.every(({ pid, membytes }) => membytes === pid)).toBe(true)
})

test('a process is ended by its number and start, and the audit row names it', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params, reply, audit } = fixture
  await agent.connect()
  const from = agent.frames.length
  const ended = ada.call(endProcess, {
    params: { ...params, pid: 4711 },
    query: { start: '99', tree: 'true' },
  })
  const payload = await reply(from, { answer: { name: 'sleep', ended: 3, left: [] } })
  expect(payload).toMatchObject({ name: 'end-process', author: 'ada', history_id: null })
  expect(payload.input).toEqual({ pid: 4711, start: '99', force: false, tree: true })
  expect((await ended).body).toEqual({ ended: 3, left: [] })
  const changed = ada.call(setPriority, { params: { ...params, pid: 8 }, body: { start: '5', nice: 10 } })
  await reply(from + 1, { answer: { name: 'make' } })
  expect((await changed).body).toEqual({ pid: 8, nice: 10 })
  expect((await audit()).map(({ message, action, agent: on }) => [action, message, on])).toEqual([
    ['modify', 'Changed the priority of process 8 "make" to 10', 'PC-12'],
    ['delete', 'Ended process 4711 "sleep" and what it had started', 'PC-12'],
  ])
})

test('without a start time the process that has the number now is ended', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params, reply } = fixture
  await agent.connect()
  const end = (pid: number) => ada.call(endProcess, { params: { ...params, pid }, query: {} })
  const from = agent.frames.length
  const ended = end(7)
  expect((await agent.nextCommand(from)).payload.name).toBe('watch-processes')
  agent.send(look({ whole: true, put: [fake(7, 'sleep', { start: '77' })] }))
  const payload = await reply(from + 1, { answer: { name: 'sleep', ended: 1, left: [] } })
  expect(payload).toMatchObject({ name: 'end-process', input: { pid: 7, start: '77' } })
  expect((await ended).body).toEqual({ ended: 1, left: [] })
  expect((await end(8)).error).toMatchObject({ code: 'not_found', detail: 'PC-12 has no process 8.' })
})

test('failures are described in a sentence', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params, reply, audit } = fixture
  const end = () =>
    ada.call(endProcess, { params: { ...params, pid: 7 }, query: { start: '1', force: 'true' } })
  expect((await end()).error).toMatchObject({
    code: 'agent_offline',
    detail: 'PC-12 is offline. Try again when it is connected.',
  })
  expect((await ada.call(listProcesses, { params })).error).toMatchObject({ code: 'agent_offline' })
  expect(await audit()).toEqual([])
  await agent.connect()
  const refused = end()
  await reply(agent.frames.length, { refused: 'Process 7 has already ended.' })
  expect((await refused).error).toMatchObject({
    code: 'agent_refused',
    detail: 'PC-12: Process 7 has already ended.',
  })
  expect(await audit()).toMatchObject([{ message: 'Failed to kill process 7' }])
  const hostile = end()
  await reply(agent.frames.length, { answer: { name: { toString: 1 }, ended: -4, left: 'all' } })
  expect((await hostile).error).toMatchObject({
    detail: 'PC-12 sent an unreadable response. Update its agent.',
  })
  const from = agent.frames.length
  const lost = end()
  await agent.nextCommand(from)
  agent.send({ type: 'reply', nonce: 'nobody-asked-with-this', refused: null, answer: {} })
  agent.cut()
  expect((await lost).error).toMatchObject({
    code: 'unavailable',
    detail: expect.stringContaining('did not respond'),
  })
  const start = await ada.call(endProcess, { params: { ...params, pid: 7 }, query: { start: '' } })
  expect(start.error).toMatchObject({ code: 'invalid' })
})

test('a machine that cannot list its processes gives the reason at once, until it can', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params, watch } = fixture
  await agent.connect()
  const from = agent.frames.length
  const listed = ada.call(listProcesses, { params })
  await agent.nextCommand(from)
  const problem = 'Windows refused: Access is denied.'
  agent.send(look({ problem }))
  expect((await listed).error).toMatchObject({ code: 'agent_refused', detail: `PC-12: ${problem}` })
  const watched = await ada.call(watchProcesses, { params, query: { after: '' } })
  expect(watched.error).toMatchObject({ detail: `PC-12: ${problem}` })
  agent.send(look({ whole: true, put: [fake(1, 'init')] }))
  await expect.poll(() => watch()).toMatchObject({ connected: true, processes: [{ name: 'init' }] })
})

test('hidden machines, and users without the permission, are refused', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { params } = fixture
  const stranger = server.as(await server.given.user({ permissions: ['can_list_agents'] }))
  expect((await stranger.call(listProcesses, { params })).error).toMatchObject({ code: 'not_allowed' })
  const elsewhere = await server.given.client()
  const narrow = server.as(
    await server.given.user({ permissions: ['can_manage_procs'], clients: [elsewhere.id] }),
  )
  const query = { start: '1' }
  expect((await narrow.call(endProcess, { params: { ...params, pid: 7 }, query })).error).toMatchObject({
    code: 'not_found',
  })
})
