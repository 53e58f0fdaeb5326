import { getMachineMetrics, listLatestMetrics } from '@muster/contract/api/metrics'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { mergeSamples } from '../../samples/merge-samples.ts'
import { pruneSamples } from '../../samples/partitions.ts'
import { storeMetrics } from './store-metrics.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')
const FROM = NOW / 1000 - 600

async function prepare() {
  const server = await createTestServer()
  server.clock.freeze(new Date(NOW).toISOString())
  const { agent_id } = await server.given.agent()
  const root = server.as(await server.given.user({ superuser: true }))
  return {
    server,
    agentId: agent_id,
    root,
    report: (secondsAgo: number, values: Record<string, number>, agentId = agent_id) => {
      const at = new Date(NOW - secondsAgo * 1000).toISOString()
      return server.ctx.transaction((tx) =>
        storeMetrics(tx, server.ctx, [{ agentId, sample: { at, values } }]),
      )
    },
    graph: async (agentId = agent_id) =>
      root.call(getMachineMetrics, { params: { agent_id: agentId }, query: { from: FROM, to: NOW / 1000 } }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('metrics of a machine are returned unchanged, before and after merging', async () => {
  await using prepared = await prepare()
  const { report, graph, server } = prepared
  await report(120, { cpu: 12.5, 'disk:/': 40 })
  await report(60, { cpu: 20, net_in: 1500, made_up: 1 })
  const expected = [
    { name: 'cpu', unit: '%', points: [[NOW / 1000 - 120, 12.5, 12.5, 12.5], [NOW / 1000 - 60, 20, 20, 20]] },
    { name: 'disk:/', unit: '%', points: [[NOW / 1000 - 120, 40, 40, 40]] },
    { name: 'net_in', unit: 'B/s', points: [[NOW / 1000 - 60, 1500, 1500, 1500]] },
  ] // prettier-ignore
  expect((await graph()).body).toEqual({ resolution: 0, series: expected })
  const { signal } = new AbortController()
  await mergeSamples(server.ctx, { olderThanSeconds: 0, signal })
  await pruneSamples(server.ctx, signal)
  expect((await graph()).body).toEqual({ resolution: 0, series: expected })
})

test('series belong to one machine, and are deleted with it', async () => {
  await using prepared = await prepare()
  const { report, graph, server, agentId } = prepared
  const other = await server.given.agent()
  await report(60, { cpu: 1 })
  await report(60, { cpu: 2 }, other.agent_id)
  await report(60, { cpu: 3 }, 'nobody')
  expect((await graph(other.agent_id)).body.series[0]?.points[0]?.[1]).toBe(2)
  await server.ctx.db.deleteFrom('agents').where('agent_id', '=', other.agent_id).execute()
  const left = await server.ctx.db.selectFrom('series').select(['agent_id', 'name']).execute()
  expect(left).toEqual([{ agent_id: agentId, name: 'cpu' }])
})

test('a machine that invents disks fills at most fifty series', async () => {
  await using prepared = await prepare()
  const { report, graph } = prepared
  for (let turn = 0; turn < 5; turn += 1) {
    const disks = Array.from({ length: 30 }, (_, index) => [`disk:/${turn}-${index}`, 1] as const)
    await report(60 - turn, Object.fromEntries(disks))
  }
  expect((await graph()).body.series).toHaveLength(50)
})

test('a hidden machine has no metrics', async () => {
  await using prepared = await prepare()
  const { server, agentId } = prepared
  const stranger = server.as(await server.given.user({ permissions: ['can_list_checks'] }))
  const query = { from: FROM, to: NOW / 1000 }
  const refused = await stranger.call(getMachineMetrics, { params: { agent_id: agentId }, query })
  expect(refused.status).toBe(403)
  const unknown = await prepared.root.call(getMachineMetrics, { params: { agent_id: 'nobodyhere' }, query })
  expect(unknown.error?.code).toBe('not_found')
  const backwards = await prepared.root.call(getMachineMetrics, {
    params: { agent_id: agentId },
    query: { from: 10, to: 5 },
  })
  expect(backwards.error?.fields).toEqual({ to: ['Choose a time after "from".'] })
})

test('the last values of visible machines are listed while they are fresh', async () => {
  await using prepared = await prepare()
  const { report, root, server, agentId } = prepared
  const { given } = server
  const site = await given.site()
  const mine = await given.agent({ site_id: site.id })
  const [silent, foreign] = [await given.agent(), await given.agent()]
  const limited = server.as(
    await server.given.user({ permissions: ['can_list_agents'], clients: [site.client_id] }),
  )
  await report(150, { cpu: 80, memory: 40 })
  await report(90, { cpu: 12.345, memory: 50, load: 3 })
  await report(60, { cpu: 7 }, mine.agent_id)
  await report(30, { load: 1 }, silent.agent_id)
  await report(500, { cpu: 99, memory: 99 }, foreign.agent_id)
  const list = async (client = root, query = {}) => (await client.call(listLatestMetrics, { query })).body
  const [first, second] = [
    { agent_id: agentId, cpu: 12.3, memory: 50 },
    { agent_id: mine.agent_id, cpu: 7, memory: null },
  ]
  expect(await list()).toEqual(expect.arrayContaining([first, second]))
  expect(await list()).toHaveLength(2)
  expect(await list(limited)).toEqual([second])
  expect(await list(root, { site: site.id })).toEqual([second])
  // Only what has arrived since is read.
  await report(10, { cpu: 20, memory: 60 })
  await report(5, { cpu: 1, memory: 1 }, foreign.agent_id)
  expect(await list()).toEqual(
    expect.arrayContaining([
      { agent_id: agentId, cpu: 20, memory: 60 },
      second,
      { agent_id: foreign.agent_id, cpu: 1, memory: 1 },
    ]),
  )
  // On PostgreSQL a batch may become visible after a later one.
  const { db } = server.ctx
  await report(4, { cpu: 30 }, silent.agent_id)
  const late = await db
    .deleteFrom('sample_batches')
    .where('id', '=', (eb) => eb.selectFrom('sample_batches').select(({ fn }) => fn.max('id').as('id')))
    .returningAll()
    .executeTakeFirstOrThrow()
  await report(3, { cpu: 8 }, mine.agent_id)
  await db
    .updateTable('sample_batches')
    .set({ id: late.id + 1 })
    .where('id', '>=', late.id)
    .execute()
  expect(await list()).toContainEqual({ ...second, cpu: 8 })
  await db.insertInto('sample_batches').values(late).execute()
  expect(await list()).toContainEqual({ agent_id: silent.agent_id, cpu: 30, memory: null })
  server.clock.advance(600)
  expect(await list()).toEqual([])
})
