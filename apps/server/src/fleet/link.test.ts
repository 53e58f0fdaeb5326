import { generateKeyPairSync } from 'node:crypto'
import { editAgent, getAgent, listAgents, setMaintenance } from '@muster/contract/api/agents'
import { MAX_FRAME_BYTES } from '@muster/contract/agent/link'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../testing/test-server.ts'
import { LinkState } from './link-state.ts'
import { TestAgent } from '../features/agents/test-agent.ts'

async function start(server: TestServer) {
  const { url } = await server.listen()
  const site = await server.given.site()
  const ada = await server.given.user({ superuser: true })
  const detail = async (agent: TestAgent) =>
    (await server.as(ada).call(getAgent, { params: { agent_id: agent.agentId } })).body
  return { url, site, ada, detail }
}

test('an agent signs in by answering a challenge with its own key', async () => {
  await using server = await createTestServer()
  const { url, site, detail } = await start(server)
  using agent = await TestAgent.enrol(server, url, site.id)
  expect(await agent.connect()).toMatchObject({ type: 'welcome', protocol: 1 })
  await vi.waitFor(async () =>
    expect(await detail(agent)).toMatchObject({ connected: true, status: 'online' }),
  )
})

test('a wrong key, an unknown agent and a future protocol version are refused', async () => {
  await using server = await createTestServer()
  const { url, site } = await start(server)
  using agent = await TestAgent.enrol(server, url, site.id)
  const wrong = await agent.connect({ key: generateKeyPairSync('ed25519').privateKey })
  expect(wrong).toMatchObject({ type: 'refused', code: 'bad_signature' })
  expect(await agent.connect({ protocols: [99] })).toMatchObject({ type: 'refused', code: 'protocol' })
  await server.ctx.db.deleteFrom('agents').execute()
  expect(await agent.connect()).toMatchObject({ type: 'refused', code: 'unknown_agent' })
})

test('of many concurrent saves of a machine one succeeds', async () => {
  await using server = await createTestServer()
  const { agent_id } = await server.given.agent()
  const ada = server.as(await server.given.user({ superuser: true }))
  const { modified } = (await ada.call(getAgent, { params: { agent_id } })).body
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      ada.call(editAgent, { params: { agent_id }, body: { description: `text ${index}`, modified } }),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(7)
})

test('the loss of a link and the reconnect are detected at once', async () => {
  await using server = await createTestServer()
  const { url, site, detail } = await start(server)
  using agent = await TestAgent.enrol(server, url, site.id)
  await agent.connect()
  await vi.waitFor(async () => expect((await detail(agent)).connected).toBe(true))
  agent.cut()
  await vi.waitFor(async () => {
    const { connected, status, link_lost_at } = await detail(agent)
    expect({ connected, status }).toEqual({ connected: false, status: 'online' })
    expect(link_lost_at).not.toBeNull()
  })
  await agent.connect()
  await vi.waitFor(async () =>
    expect(await detail(agent)).toMatchObject({ connected: true, link_lost_at: null }),
  )
})

test('a silent machine loses its link, and an active one is pinged less', async () => {
  await using server = await createTestServer()
  const { url, site } = await start(server)
  using silent = await TestAgent.enrol(server, url, site.id)
  using asked = await TestAgent.enrol(server, url, site.id)
  using beating = await TestAgent.enrol(server, url, site.id)
  expect(await asked.connect()).not.toHaveProperty('beat_ms')
  expect(await beating.connect({ beats: true, answersPings: false })).toMatchObject({ beat_ms: 2500 })
  await silent.connect({ beats: true, answersPings: false })
  await vi.waitFor(
    () => {
      beating.beat()
      expect(silent.isOpen).toBe(false)
    },
    { interval: 500 },
  )
  expect([asked.isOpen, beating.isOpen]).toEqual([true, true])
  expect(asked.pings).toBeGreaterThan(beating.pings)
})

test('a machine whose link ended before it was stored counts as seen', async () => {
  await using server = await createTestServer()
  const { ctx, given } = server
  const { agent_id } = await given.agent()
  await ctx.db.updateTable('agents').set({ last_seen: null }).where('agent_id', '=', agent_id).execute()
  await using state = new LinkState(ctx, { onUp: async () => {}, abilitiesChanged: async () => {} })
  const agent_time = ctx.now().toISOString()
  state.up(
    agent_id,
    { type: 'answer', signature: '', protocols: [1], agent_version: '1', agent_time, active: [] },
    '::1',
  )
  state.down(agent_id)
  const ada = server.as(await given.user({ superuser: true }))
  await vi.waitFor(async () => {
    const { body } = await ada.call(getAgent, { params: { agent_id } })
    expect(body).toMatchObject({ connected: false, status: 'online' })
    expect(body.link_lost_at).not.toBeNull()
  })
})

test('offline and overdue follow the minutes set on the agent', async () => {
  await using server = await createTestServer()
  const { url, site, ada, detail } = await start(server)
  using agent = await TestAgent.enrol(server, url, site.id)
  await agent.connect()
  await vi.waitFor(async () => expect((await detail(agent)).connected).toBe(true))
  await server
    .as(ada)
    .call(editAgent, { params: { agent_id: agent.agentId }, body: { offline_time: 5, overdue_time: 20 } })
  agent.cut()
  await vi.waitFor(async () => expect((await detail(agent)).connected).toBe(false))
  server.clock.advance(4 * 60)
  expect((await detail(agent)).status).toBe('online')
  server.clock.advance(2 * 60)
  expect((await detail(agent)).status).toBe('offline')
  server.clock.advance(15 * 60)
  expect((await detail(agent)).status).toBe('overdue')
  await vi.waitFor(async () => {
    const { body } = await server.as(ada).call(listAgents, { query: {} })
    expect(body).toMatchObject([{ status: 'overdue' }])
  })
})

test('a newer link of the same agent replaces the older one without an offline moment', async () => {
  await using server = await createTestServer()
  const { url, site, detail } = await start(server)
  using agent = await TestAgent.enrol(server, url, site.id)
  await agent.connect()
  await vi.waitFor(async () => expect((await detail(agent)).connected).toBe(true))
  const changes: boolean[] = []
  server.app.fleet.rows.onChanged(() => changes.push(server.app.fleet.links.isConnected(agent.agentId)))
  expect(await agent.connect()).toMatchObject({ type: 'welcome' })
  await vi.waitFor(() => expect(changes.length).toBeGreaterThan(0))
  expect(changes.every((connected) => connected)).toBe(true)
})

test('invalid, partial, unknown and huge frames are refused without dropping the link', async () => {
  await using server = await createTestServer()
  const { url, site, detail } = await start(server)
  using agent = await TestAgent.enrol(server, url, site.id)
  await agent.connect()
  const from = agent.frames.length
  agent.sendText('{"type":"rep')
  agent.sendText('null')
  agent.sendText('[]')
  agent.sendText(Buffer.from([0xff, 0xfe, 0x00]))
  agent.send({ type: 'take-over', everything: true })
  agent.send({ type: 'report', seq: -1, report: { kind: 'facts', facts: {} } })
  agent.send({ type: 'report', seq: 1, report: { kind: 'facts', facts: { cpus: 'many' } } })
  agent.sendText(`"${'x'.repeat(MAX_FRAME_BYTES + 1)}"`)
  await agent.next((frame) => frame.type === 'error' && frame.code === 'too_large', from)
  const codes = agent.frames.slice(from).map((frame) => (frame.type === 'error' ? frame.code : frame.type))
  expect(codes).toEqual([
    'unreadable',
    'unreadable',
    'unreadable',
    'unknown_type',
    'unreadable',
    'unreadable',
    'too_large',
  ])
  agent.report({
    kind: 'facts',
    facts: { hostname: '<img src=x onerror=alert(1)>', unknown_field: 1 } as never,
  })
  await agent.next((frame) => frame.type === 'ack', from)
  expect(await detail(agent)).toMatchObject({ connected: true, hostname: '<img src=x onerror=alert(1)>' })
})

test('facts are a full report, then changes only, and tolerate NUL characters and endless strings', async () => {
  await using server = await createTestServer()
  const { url, site, detail } = await start(server)
  using agent = await TestAgent.enrol(server, url, site.id)
  await agent.connect()
  const from = agent.frames.length
  agent.report({
    kind: 'facts',
    facts: { os_name: 'Debian\u0000', os_version: '12', make: 'x'.repeat(10_000), needs_reboot: true },
  })
  const seq = agent.report({ kind: 'facts', facts: { logged_in_user: 'ada', total_ram: 8 * 1024 ** 3 } })
  await agent.next((frame) => frame.type === 'ack' && frame.seq === seq, from)
  const seen = await detail(agent)
  expect(seen).toMatchObject({
    operating_system: 'Debian\uFFFD 12',
    needs_reboot: true,
    logged_username: 'ada',
    total_ram: 8,
  })
  expect(seen.make_model).toHaveLength(255)
})

test('a machine with a wrong clock is marked', async () => {
  await using server = await createTestServer()
  const { url, site, detail } = await start(server)
  using agent = await TestAgent.enrol(server, url, site.id)
  await agent.connect({ agentTime: new Date(Date.now() + 3 * 3600_000).toISOString() })
  await vi.waitFor(async () => {
    expect((await detail(agent)).problems).toEqual([
      'The clock of this machine is 180 min ahead, so it may refuse commands. Correct its clock.',
    ])
  })
})

test('a stopping server has its agents reconnect over a time that grows with their number', async () => {
  const server = await createTestServer()
  const { url, site } = await start(server)
  const agents = await Promise.all([1, 2, 3, 4].map(() => TestAgent.enrol(server, url, site.id)))
  for (const agent of agents) await agent.connect()
  await server[Symbol.asyncDispose]()
  for (const agent of agents) {
    using leaving = agent
    expect(await leaving.next((frame) => frame.type === 'stopping', 0)).toEqual({
      type: 'stopping',
      retry_within_ms: 3,
    })
  }
})

test('the agent socket refuses browsers', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const ws = new WebSocket(`${url.replace('http', 'ws')}/agent/ws`, { headers: { origin: url } } as never)
  const code = await new Promise<number>((resolve) =>
    ws.addEventListener('close', (event) => resolve(event.code)),
  )
  expect(code).toBe(4403)
})

test('maintenance mode of a node is visible only to users who see the node', async () => {
  await using server = await createTestServer()
  const mine = await server.given.site()
  const other = await server.given.agent()
  const bob = await server.given.user({ permissions: ['can_edit_agent'], clients: [mine.client_id] })
  const set = (id: number) =>
    server.as(bob).call(setMaintenance, { body: { type: 'Site', id, action: true } })
  expect((await set(other.site_id)).status).toBe(404)
  const agent = await server.given.agent({ site_id: mine.id })
  expect((await set(mine.id)).body).toEqual({ changed: 1 })
  const ada = await server.given.user({ superuser: true })
  const { body } = await server.as(ada).call(getAgent, { params: { agent_id: agent.agent_id } })
  expect(body.maintenance_mode).toBe(true)
})

test('a list with more machines than fit one piece is complete', async () => {
  await using server = await createTestServer()
  const agent = await server.given.agent()
  const { id: _, ...row } = await server.ctx.db.selectFrom('agents').selectAll().executeTakeFirstOrThrow()
  const copies = Array.from({ length: 1299 }, (_, index) => {
    const name = `copy${String(index).padStart(8, '0')}`
    return { ...row, agent_id: name, machine_key: name, hostname: name }
  })
  for (let at = 0; at < copies.length; at += 100)
    await server.ctx.db
      .insertInto('agents')
      .values(copies.slice(at, at + 100))
      .execute()
  server.ctx.emit({ type: 'agent.added', ids: copies.map(({ agent_id }) => agent_id) })
  const ada = server.as(await server.given.user({ superuser: true }))
  const { body } = await ada.call(listAgents, { query: {} })
  const names = body.map(({ agent_id }) => agent_id)
  expect(new Set(names)).toEqual(new Set([agent.agent_id, ...copies.map(({ agent_id }) => agent_id)]))
  expect(names).toHaveLength(1300)
})
