import { type Report, MAX_FRAME_BYTES } from '@muster/contract/agent/link'
import { getAgent } from '@muster/contract/api/agents'
import { installSoftware } from '@muster/contract/api/software'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../testing/test-server.ts'
import { known, reportOf } from '../features/software/test-software.ts'
import { TestAgent } from '../features/agents/test-agent.ts'
import { result } from '../features/runs/test-run.ts'

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

test('an agent above its budget is read slowly, keeps its link and loses nothing', async () => {
  await using server = await createTestServer()
  using given = await start(server)
  const { agent, isHeld } = given
  const from = agent.frames.length
  const startedMs = performance.now()
  for (let count = 1; count <= 1200; count += 1)
    agent.report({ kind: 'facts', facts: { logged_in_user: `user ${count}` } })
  await vi.waitFor(() => expect(isHeld()).toBe(true))
  await agent.next((frame) => frame.type === 'ack' && frame.seq === 1200, from)
  // The first 250 at once, the rest at 250 per second. Frames of one packet are read together.
  expect(performance.now() - startedMs).toBeGreaterThan(1000)
  expect(agent.isOpen).toBe(true)
  expect(server.app.fleet.links.isConnected(agent.agentId)).toBe(true)
  const ada = server.as(await server.given.user({ superuser: true }))
  const { body } = await ada.call(getAgent, { params: { agent_id: agent.agentId } })
  expect(body).toMatchObject({ logged_username: 'user 1200' })
})

test('frames of unknown channels, pings and oversized frames count against the budget', async () => {
  await using server = await createTestServer()
  using given = await start(server)
  const { agent, isHeld } = given
  for (let count = 0; count < 2; count += 1) agent.sendText(`"${'x'.repeat(MAX_FRAME_BYTES)}"`)
  await vi.waitFor(() => expect(isHeld()).toBe(true))
  await vi.waitFor(() => expect(isHeld()).toBe(false))
  for (let count = 0; count < 600; count += 1) agent.ping()
  await vi.waitFor(() => expect(isHeld()).toBe(true))
  await vi.waitFor(() => expect(isHeld()).toBe(false))
  for (let count = 0; count < 600; count += 1) agent.sendText(Buffer.from([1, 0, 0, 0, 9, 1]))
  await vi.waitFor(() => expect(isHeld()).toBe(true))
  expect(agent.isOpen).toBe(true)
})

test('a machine cannot send metrics too often, nor under unlimited names', async () => {
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
  // Measured while it was offline, each in its own transaction.
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

test('one software list per half a minute is accepted, three at most, and later another one', async () => {
  await using server = await createTestServer()
  using given = await start(server)
  const lists = Array.from({ length: 8 }, (_, index) => reportOf([known('vim', `${index}.0`)]))
  for (const list of lists.slice(0, 3)) await given.report([list])
  expect(await listVersions(server)).toEqual(['0.0'])
  for (const list of lists.slice(3)) {
    server.clock.advance(30)
    await given.report([list])
  }
  expect(await listVersions(server)).toEqual(['0.0', '3.0', '4.0'])
  server.clock.advance(600)
  const from = given.agent.frames.length
  const later = reportOf([known('vim', '9.0')])
  await given.report([{ ...later, inventory: null }])
  expect((await given.agent.nextCommand(from)).payload).toMatchObject({ name: 'report-software' })
  await given.report([later])
  expect(await listVersions(server)).toContain('9.0')
})

test('the software list after an installation is requested at once, one for each run', async () => {
  await using server = await createTestServer()
  using given = await start(server)
  const { agent } = given
  const ada = server.as(await server.given.user({ superuser: true }))
  const listOf = (version: string) => reportOf([known('vim', version)])
  const hashOf = (version: string) => ({ ...listOf(version), inventory: null })
  await given.report([listOf('1.0')])
  const params = { agent_id: agent.agentId }
  const { body: run } = await ada.call(installSoftware, { params, body: { name: 'vim' } })
  await given.report([result(run.id)])
  const from = agent.frames.length
  await given.report([hashOf('2.0')])
  expect((await agent.nextCommand(from)).payload).toMatchObject({ name: 'report-software' })
  await given.report([listOf('2.0')])
  // Late output of the same run allows no further list.
  await given.report([{ kind: 'output', history_id: run.id, chunk: 1, stream: 'stdout', text: 'late' }])
  await given.report([hashOf('3.0')])
  await given.report([listOf('4.0')])
  expect(await listVersions(server)).toEqual(['1.0', '2.0'])
})

test('a check that alternates without limit raises no more alerts than its runs could', async () => {
  await using server = await createTestServer()
  server.clock.freeze('2026-03-20T12:00:00.000Z')
  using given = await start(server)
  const check = await server.given.check({
    agent_id: given.agent.agentId,
    check_type: 'cpuload',
    settings: JSON.stringify({ warning_threshold: 70, error_threshold: 90 }),
    revision: 'cpu.1',
    run_interval: 60,
  })
  const nowMs = server.clock.now().getTime()
  const send = (count: number, fromMs: number, gapMs: number) =>
    given.report(
      Array.from({ length: count / 100 }, (_, part): Report => ({
        kind: 'checks',
        results: Array.from({ length: 100 }, (_one, index) => ({
          check_id: check.id,
          revision: 'cpu.1',
          at: new Date(fromMs + (part * 100 + index) * gapMs).toISOString(),
          measured: { check_type: 'cpuload', percent: index % 2 === 0 ? 100 : 0 },
        })),
      })),
    )
  const alerts = async () => (await server.ctx.db.selectFrom('alerts').select('id').execute()).length
  // Measured while it was offline: each of them counts.
  await send(600, nowMs - 100_000_000, 60_000)
  expect(await alerts()).toBe(300)
  // A year ago, within a second, and from the future: five hundred in all.
  await send(1000, nowMs - 366 * 86_400_000, 60_000)
  await send(1000, nowMs - 2000, 1)
  await send(1000, nowMs + 120_000, 60_000)
  expect(await alerts()).toBeLessThanOrEqual(300 + 250)
})
