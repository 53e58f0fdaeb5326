import { LINK_PATH, MAX_SIGN_IN_BYTES, MAX_UNREADABLE_FRAMES } from '@muster/contract/agent/link'
import { expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createTestServer, type TestServer } from '../testing/test-server.ts'
import { TestAgent } from '../features/agents/test-agent.ts'

async function start(server: TestServer) {
  const { url } = await server.listen()
  const site = await server.given.site()
  return { url, enrol: () => TestAgent.enrol(server, url, site.id) }
}

/** Connects a socket that is not an agent, and records its input. */
async function knock(url: string) {
  const socket = new WebSocket(url.replace('http', 'ws') + LINK_PATH, {
    headers: { 'x-muster-agent': 'A'.repeat(40) },
  })
  const texts: string[] = []
  const closed = new Promise<number>((resolve) => socket.on('close', (code) => resolve(code)))
  socket.on('error', () => undefined).on('message', (data: Buffer) => texts.push(data.toString()))
  await vi.waitFor(() => expect(texts).toHaveLength(1))
  return { socket, texts, closed }
}

const countLines = (server: TestServer, message: string) =>
  server.logLines.filter(({ msg }) => msg === message).length

test('the largest allowed answer signs an agent in', async () => {
  await using server = await createTestServer()
  const { enrol } = await start(server)
  using agent = await enrol()
  const active = Array.from({ length: 10_000 }, (_, index) => Number.MAX_SAFE_INTEGER - index)
  const sessions = Array.from({ length: 1000 }, () => crypto.randomUUID())
  expect(JSON.stringify({ active, sessions }).length).toBeGreaterThan(0.75 * MAX_SIGN_IN_BYTES)
  expect(await agent.connect({ active, sessions })).toMatchObject({ type: 'welcome' })
})

test('a first frame that is not a signed answer ends the connection', async () => {
  await using server = await createTestServer()
  const { url } = await start(server)
  const report = { type: 'report', seq: 1, report: { kind: 'facts', facts: {} } }
  const signed = { type: 'answer', signature: 'x'.repeat(86), active: 'a'.repeat(MAX_SIGN_IN_BYTES) }
  for (const frame of ['x', '', Buffer.from([0, 1, 2]), JSON.stringify(report), JSON.stringify(signed)]) {
    const { socket, texts, closed } = await knock(url)
    socket.send(frame)
    expect(await closed).toBe(4403)
    expect(texts[1]).toContain('"refused"')
  }
  const { socket, closed } = await knock(url)
  socket.send(JSON.stringify({ type: 'answer', signature: 'x'.repeat(86) }))
  socket.send('x')
  expect(await closed).toBe(1006)
  // All of them came from one address.
  expect(countLines(server, 'agent failed its challenge')).toBe(1)
  expect(countLines(server, 'agent sent an unreadable frame')).toBe(0)
})

test('a stranger cannot fill the memory with an endless frame or with pings', async () => {
  await using server = await createTestServer()
  const { url } = await start(server)
  const endless = await knock(url)
  const piece = 'x'.repeat(64 * 1024)
  for (let count = 0; count < 6; count += 1) endless.socket.send(piece, { fin: false })
  expect(await endless.closed).toBe(1006)
  const pinging = await knock(url)
  for (let count = 0; count < 30; count += 1) pinging.socket.ping()
  expect(await pinging.closed).toBe(1006)
})

test('an agent signs in beside connections that never do', async () => {
  await using server = await createTestServer()
  const { url, enrol } = await start(server)
  const strangers = await Promise.all(Array.from({ length: 50 }, () => knock(url)))
  using agent = await enrol()
  expect(await agent.connect()).toMatchObject({ type: 'welcome' })
  for (const { socket } of strangers) socket.terminate()
})

test('a hundred unreadable frames end the link and leave two lines in the log', async () => {
  await using server = await createTestServer()
  const { enrol } = await start(server)
  using agent = await enrol()
  await agent.connect()
  const from = agent.frames.length
  for (let count = 1; count < MAX_UNREADABLE_FRAMES; count += 1) agent.sendText('x')
  await vi.waitFor(() => expect(agent.frames.slice(from)).toHaveLength(MAX_UNREADABLE_FRAMES - 1))
  expect(agent.isOpen).toBe(true)
  agent.sendText('x')
  await vi.waitFor(() => expect(agent.isOpen).toBe(false))
  expect(countLines(server, 'agent sent an unreadable frame')).toBe(1)
  expect(countLines(server, 'agent sent too many unreadable frames')).toBe(1)
})

test('an agent that does not read gets neither errors nor pongs', async () => {
  await using server = await createTestServer()
  const { enrol } = await start(server)
  using agent = await enrol()
  await agent.connect()
  const [socket] = server.app.fastify.websocketServer.clients
  if (socket === undefined) throw new Error('there is no link')
  let pings = 0
  socket.on('ping', () => (pings += 1))
  agent.pause()
  // Much more than the socket buffers of both sides.
  socket.send(Buffer.alloc(32 * 1024 * 1024))
  const waiting = socket.bufferedAmount
  expect(waiting).toBeGreaterThan(1024 * 1024)
  for (let count = 0; count < 50; count += 1) agent.sendText('x')
  for (let count = 0; count < 50; count += 1) agent.ping()
  await vi.waitFor(() => expect(pings).toBe(50))
  expect(socket.bufferedAmount).toBeLessThanOrEqual(waiting)
})

test('unauthenticated agent sockets of one address are limited, authenticated ones are not', async () => {
  await using server = await createTestServer({ agentGate: { perSource: 2 } })
  const { url, enrol } = await start(server)
  using agent = await enrol()
  await agent.connect()
  const strangers = [await knock(url), await knock(url)]
  const third = new WebSocket(url.replace('http', 'ws') + LINK_PATH)
  const refusal = await new Promise<Error>((resolve) => third.once('error', resolve))
  expect(refusal.message).toContain('429')
  for (const { socket } of strangers) socket.terminate()
  await vi.waitFor(() => expect(server.app.api.agentGate.size).toBe(0))
  const next = await knock(url)
  next.socket.terminate()
})
