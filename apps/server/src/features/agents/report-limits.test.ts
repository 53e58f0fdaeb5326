import { type Report, MAX_FRAME_BYTES } from '@muster/contract/agent/link'
import { getAgent } from '@muster/contract/api/agents'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../test-server.ts'
import { known, reportOf } from '../software/test-software.ts'
import { TestAgent } from './test-agent.ts'

async function start(server: TestServer) {
  const { url } = await server.listen()
  const agent = await TestAgent.enrol(server, url, (await server.given.site()).id)
  await agent.connect()
  /** Resolves when all of them are stored. */
  const report = async (reports: Report[]) => {
    const from = agent.frames.length
    const last = reports.map((one) => agent.report(one)).at(-1)
    await agent.next((frame) => frame.type === 'ack' && frame.seq === last, from)
  }
  const isHeld = () => [...server.app.fastify.websocketServer.clients].some(({ isPaused }) => isPaused)
  return { agent, report, isHeld, [Symbol.dispose]: () => agent.cut() }
}

const listVersions = async (server: TestServer) => {
  const rows = await server.ctx.db.selectFrom('software_packages').select('version').execute()
  return rows.map(({ version }) => version).toSorted()
}

test('an agent above its budget is read no further, keeps its link, and loses nothing', async () => {
  await using server = await createTestServer()
  using given = await start(server)
  const { agent, isHeld } = given
  const from = agent.frames.length
  const startedMs = performance.now()
  for (let count = 1; count <= 1200; count += 1)
    agent.report({ kind: 'facts', facts: { logged_in_user: `user ${count}` } })
  await vi.waitFor(() => expect(isHeld()).toBe(true))
  await agent.next((frame) => frame.type === 'ack' && frame.seq === 1200, from)
  // 250 of them at once, and the rest at 250 a second; what is in one packet is read with it.
  expect(performance.now() - startedMs).toBeGreaterThan(1000)
  expect(agent.isOpen).toBe(true)
  expect(server.app.fleet.links.isConnected(agent.agentId)).toBe(true)
  const ada = server.as(await server.given.user({ superuser: true }))
  const { body } = await ada.call(getAgent, { params: { agent_id: agent.agentId } })
  expect(body).toMatchObject({ logged_username: 'user 1200' })
})

test('frames of a channel that is not there, pings and frames that are too long are paid from the budget', async () => {
  await using server = await createTestServer()
  using given = await start(server)
  const { agent, isHeld } = given
  for (let count = 0; count < 2; count += 1) agent.sendText(`"${'x'.repeat(MAX_FRAME_BYTES)}"`)
  await vi.waitFor(() => expect(isHeld()).toBe(true))
  await vi.waitFor(() => expect(isHeld()).toBe(false), 10_000)
  for (let count = 0; count < 600; count += 1) agent.ping()
  await vi.waitFor(() => expect(isHeld()).toBe(true))
  await vi.waitFor(() => expect(isHeld()).toBe(false), 10_000)
  for (let count = 0; count < 600; count += 1) agent.sendText(Buffer.from([1, 0, 0, 0, 9, 1]))
  await vi.waitFor(() => expect(isHeld()).toBe(true))
  expect(agent.isOpen).toBe(true)
})

test('a machine cannot measure itself more often than it should, nor under names without end', async () => {
  await using server = await createTestServer()
  using given = await start(server)
  const now = Date.now()
  const sample = (ageSeconds: number, values: Record<string, number>): Report => ({
    kind: 'metrics',
    sample: { at: new Date(now - ageSeconds * 1000).toISOString(), values },
  })
  const count = async (table: 'sample_batches' | 'series') => {
    const rows = await server.ctx.db.selectFrom(table).selectAll().execute()
    return rows.length
  }
  // Of the time when it was away, each in a transaction of its own.
  for (const ageSeconds of [7200, 7140, 7080]) await given.report([sample(ageSeconds, { cpu: 1 })])
  expect(await count('sample_batches')).toBe(3)
  for (const ageSeconds of [60, 59, 58, 57, 3600, 0]) await given.report([sample(ageSeconds, { cpu: 1 })])
  expect(await count('sample_batches')).toBe(5)
  for (let turn = 1; turn <= 3; turn += 1) {
    server.clock.advance(60)
    const names = Array.from({ length: 40 }, (_, index) => [`disk:/${turn}-${index}`, 1] as const)
    await given.report([sample(-60 * turn, Object.fromEntries(names))])
  }
  expect(await count('series')).toBe(50)
})

test('of lists of software that come one after the other three are taken, and later another one', async () => {
  await using server = await createTestServer()
  using given = await start(server)
  const lists = Array.from({ length: 8 }, (_, index) => reportOf([known('vim', `${index}.0`)]))
  for (const list of lists) await given.report([list])
  expect(await listVersions(server)).toEqual(['0.0', '1.0', '2.0'])
  server.clock.advance(600)
  const from = given.agent.frames.length
  const later = reportOf([known('vim', '9.0')])
  await given.report([{ ...later, inventory: null }])
  expect((await given.agent.nextCommand(from)).payload).toMatchObject({ name: 'report-software' })
  await given.report([later])
  expect(await listVersions(server)).toContain('9.0')
})
