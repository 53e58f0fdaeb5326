import { listDroppedResults } from '@muster/contract/api/timeline'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'

test('dropped results are listed for users who may list checks, each drop once', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  using agent = await TestAgent.enrol(server, url, (await server.given.site()).id)
  await agent.connect()
  const ago = (hours: number) =>
    new Date(Date.now() - hours * 3_600_000).toISOString().replace(/\.\d+/, '.000')
  const report = { kind: 'checks-dropped' as const, count: 1200, from: ago(200), to: ago(180) }
  const from = agent.frames.length
  agent.report(report)
  agent.report(report)
  const seq = agent.report({ ...report, count: 1e15, from: ago(20), to: ago(10) })
  await agent.next((frame) => frame.type === 'ack' && frame.seq === seq, from)
  const params = { agent_id: agent.agentId }
  const ada = server.as(await server.given.user({ permissions: ['can_list_checks'] }))
  expect((await ada.call(listDroppedResults, { params })).body).toEqual([
    { from: ago(20), to: ago(10), count: 2_147_483_647 },
    { from: report.from, to: report.to, count: 1200 },
  ])
  const bob = server.as(await server.given.user({ permissions: ['can_list_agents'] }))
  expect((await bob.call(listDroppedResults, { params })).status).toBe(403)
})

test('the newest 200 drops of a machine are kept', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  using agent = await TestAgent.enrol(server, url, (await server.given.site()).id)
  await agent.connect()
  const from = agent.frames.length
  const instant = (index: number) =>
    new Date(Date.parse('2026-03-01T00:00:00.000Z') + index * 1000).toISOString()
  let seq = 0
  for (let index = 0; index < 250; index += 1) {
    const times = { from: instant(index), to: instant(index + 1) }
    seq = agent.report({ kind: 'checks-dropped', count: 1, ...times })
  }
  await agent.next((frame) => frame.type === 'ack' && frame.seq === seq, from)
  const rows = await server.ctx.db
    .selectFrom('dropped_results')
    .select('from_at')
    .orderBy('from_at')
    .execute()
  expect(rows).toHaveLength(200)
  expect(Number(rows[0]?.from_at)).toBe(Date.parse(instant(50)) / 1000)
})
