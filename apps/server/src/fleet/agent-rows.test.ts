import { AgentName, AgentRow, deleteAgent, getAgent, listAgents } from '@muster/contract/api/agents'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createTestServer } from '../testing/test-server.ts'
import { count, emptySum, AgentIndex } from './agent-rows.ts'

const NOW = Date.UTC(2026, 0, 1)
const MACHINES = ['a', 'b', 'c', 'd']

const change = fc.record({
  machine: fc.constantFrom(...MACHINES),
  isGone: fc.boolean(),
  site_id: fc.integer({ min: 1, max: 3 }),
  failing: fc.integer({ min: 0, max: 2 }),
  warning: fc.integer({ min: 0, max: 2 }),
  maintenance_mode: fc.boolean(),
  overdue_email_alert: fc.boolean(),
  status: fc.constantFrom('online' as const, 'offline' as const, 'overdue' as const),
  monitoring_type: fc.constantFrom('server' as const, 'workstation' as const),
})

async function someRow(): Promise<AgentRow> {
  await using server = await createTestServer()
  await server.given.agent({ site_id: (await server.given.site()).id })
  const root = server.as(await server.given.user({ superuser: true }))
  const [row] = (await root.call(listAgents, { query: {} })).body
  return AgentRow.parse(row)
}

test('after any changes the sums and results match the remaining rows', async () => {
  const template = await someRow()
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const kept = new AgentIndex()
      const model = new Map<string, AgentRow>()
      for (const { machine, isGone, failing, warning, ...fields } of changes) {
        const checks = { ...template.checks, failing, warning }
        // The site determines the client.
        const row = {
          ...template,
          ...fields,
          client_id: fields.site_id % 2,
          agent_id: machine.repeat(20),
          checks,
        }
        if (isGone) {
          kept.delete(row.agent_id)
          model.delete(row.agent_id)
        } else {
          kept.keep(MACHINES.indexOf(machine), row, NOW)
          model.set(row.agent_id, row)
        }
      }
      const rows = [...model.values()]
      const sums = new Map(rows.map(({ site_id }) => [site_id, emptySum()]))
      for (const row of rows) count(sums.get(row.site_id) ?? emptySum(), row, 1)
      expect(kept.sums()).toEqual(sums)
      const found = (
        scope: Parameters<AgentIndex['find']>[0]['scope'],
        filter: Parameters<AgentIndex['find']>[1],
      ) => new Set(kept.find({ scope }, filter).map(({ row }) => row.agent_id))
      const expected = (fits: (row: AgentRow) => boolean) =>
        new Set(rows.filter(fits).map((row) => row.agent_id))
      expect(found({ all: true }, {})).toEqual(expected(() => true))
      expect(found({ all: true }, { client: 1 })).toEqual(expected((row) => row.client_id === 1))
      expect(found({ all: true }, { site: 2, monitoring_type: 'server' })).toEqual(
        expected((row) => row.site_id === 2 && row.monitoring_type === 'server'),
      )
      expect(found({ all: false, clientIds: [0], siteIds: [3] }, {})).toEqual(
        expected((row) => row.client_id === 0 || row.site_id === 3),
      )
    }),
  )
})

test('a page by host name or worst first is the same from the database and from the loaded rows', async () => {
  await using server = await createTestServer()
  const { given, ctx } = server
  const [mine, other] = [await given.site(), await given.site()]
  const names = ['PC-10', 'pc-2', 'Äpfeln', 'PC-2', 'web', 'apfel', 'PC-1', 'db', 'PC-2']
  for (const [index, hostname] of names.entries())
    await given.agent({
      hostname,
      site_id: index % 3 === 0 ? other.id : mine.id,
      // Overdue; the others were never seen.
      ...(hostname === 'web' ? { last_seen: '2020-01-01T00:00:00.000Z' } : {}),
    })
  const all = server.as(await given.user({ superuser: true }))
  const limited = server.as(await given.user({ permissions: ['can_list_agents'], clients: [mine.client_id] }))
  const queries = [
    { page: 1, page_size: 4, sort: 'hostname' },
    { page: 1, page_size: 4, sort: 'worst' },
    { page: 2, page_size: 4, sort: 'hostname' },
    { page: 9, page_size: 4, sort: 'hostname' },
    { page: 1, sort: 'hostname', client: other.client_id },
    { page: 1, sort: 'hostname', site: mine.id, monitoring_type: 'workstation' as const },
  ]
  const read = () =>
    Promise.all(
      [all, limited].flatMap((caller) =>
        queries.map(async (query) => (await caller.call(listAgents, { query })).body),
      ),
    )
  const first = await read()
  await all.call(listAgents, { query: {} })
  const loaded = await read()
  ctx.emit({ type: 'agent.changed', ids: Array.from({ length: 600 }, (_, index) => `gone-${index}`) })
  expect(await read()).toEqual(first)
  expect(loaded).toEqual(first)
  expect(first[0]).toMatchObject({
    total: names.length,
    page: 1,
    page_size: 4,
    results: ['apfel', 'Äpfeln', 'db', 'PC-1'].map((hostname) => expect.objectContaining({ hostname })),
  })
  expect(first[1]).toMatchObject({
    results: ['web', 'apfel', 'Äpfeln', 'db'].map((hostname) => expect.objectContaining({ hostname })),
  })
})

test('names carry only the id of the machine, whatever the filter and whatever was removed before it', async () => {
  await using server = await createTestServer()
  const { given } = server
  const [mine, other] = [await given.site(), await given.site()]
  const removed = await given.agent({ hostname: 'a', site_id: mine.id })
  const first = await given.agent({ hostname: 'b', site_id: mine.id })
  const last = await given.agent({ hostname: 'c', site_id: other.id })
  const root = server.as(await given.user({ superuser: true }))
  const idOf = async ({ agent_id }: { agent_id: string }) =>
    (await root.call(getAgent, { params: { agent_id } })).body.id
  const ids = async (query: { site?: number }) =>
    z
      .array(AgentName)
      .parse((await root.call(listAgents, { query: { ...query, detail: 'false' } })).body)
      .map(({ agent_id, id }) => ({ agent_id, id }))
  const expected = [
    { agent_id: first.agent_id, id: await idOf(first) },
    { agent_id: last.agent_id, id: await idOf(last) },
  ]
  expect(await ids({})).toHaveLength(3)
  const params = { agent_id: removed.agent_id }
  expect((await root.call(deleteAgent, { params })).status).toBe(200)
  expect(await ids({})).toEqual(expected)
  expect(await ids({ site: other.id })).toEqual(expected.slice(1))
})
