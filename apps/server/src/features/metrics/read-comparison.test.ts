import { compareMachines } from '@muster/contract/api/metrics'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { storeSamples } from '../../samples/store-samples.ts'
import { storeMetrics } from './store-metrics.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z') / 1000
const RANGE = { from: NOW - 600, to: NOW }

async function prepare() {
  const server = await createTestServer()
  const { ctx, given } = server
  server.clock.freeze(new Date(NOW * 1000).toISOString())
  const [one, two] = [await given.agent(), await given.agent()]
  return {
    server,
    one,
    two,
    root: server.as(await given.user({ superuser: true })),
    cpu: (agentId: string, percent: number) =>
      ctx.transaction((tx) =>
        storeMetrics(tx, ctx, [
          { agentId, sample: { at: new Date((NOW - 60) * 1000).toISOString(), values: { cpu: percent } } },
        ]),
      ),
    disk: async ({ id: agent, agent_id: agentId }: typeof one, disk: string, percent: number) => {
      const check = await given.check({
        agent_id: agentId,
        check_type: 'diskspace',
        settings: JSON.stringify({ disk, threshold_unit: 'percent', warning_threshold: 20, error_threshold: 10 }),
      })
      const owner = { check_id: check.id, agent_id: agentId, agent }
      const value = { owner, at: NOW - 60, name: 'free_percent', unit: '%', value: percent }
      await ctx.transaction((tx) => storeSamples(tx, ctx.now(), [value]))
      return check.id
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  } // prettier-ignore
}

const agents = (...ids: string[]) => ids.join(',')

test('one metric of several machines, each a line with its name', async () => {
  await using prepared = await prepare()
  const { one, two, root, cpu } = prepared
  await cpu(one.agent_id, 10)
  await cpu(two.agent_id, 20)
  const asked = { agents: agents(one.agent_id, two.agent_id), what: 'cpu', ...RANGE }
  const { body } = await root.call(compareMachines, { query: asked })
  expect(body.unit).toBe('%')
  expect(body.lines.map(({ hostname, points }) => [hostname, points[0]?.[1]])).toEqual([
    [one.hostname, 10],
    [two.hostname, 20],
  ])
  expect(body.choices).toEqual([{ what: 'cpu', series: 'cpu', check: null }])
})

test('the same check of other machines is found by its subject, and a machine without it has an empty line', async () => {
  await using prepared = await prepare()
  const { one, two, root, disk, server } = prepared
  const three = await server.given.agent()
  const check = await disk(one, '/srv', 30)
  await disk(two, '/srv/', 40)
  await disk(two, '/home', 50)
  const ask = async (...ids: string[]) =>
    (await root.call(compareMachines, { query: { agents: agents(...ids), what: `check:${check}:free_percent`, ...RANGE } })).body // prettier-ignore
  const body = await ask(one.agent_id, two.agent_id, three.agent_id)
  expect(body.lines.map(({ points }) => points[0]?.[1])).toEqual([30, 40, undefined])
  expect(body.choices.map(({ what, check: shown }) => [what.replace(/\d+/, 'n'), shown?.settings])).toMatchObject([
    ['check:n:free_percent', { disk: '/srv' }],
    ['check:n:free_percent', { disk: '/home' }],
  ]) // prettier-ignore
  expect(body.choices[0]?.what).toBe(`check:${check}:free_percent`)
  // Also after the machine of the chosen check is removed.
  expect((await ask(two.agent_id)).lines[0]?.points[0]?.[1]).toBe(40)
})

test('at most ten machines, no hidden ones, and no checks without the permission to list them', async () => {
  await using prepared = await prepare()
  const { one, two, root, disk, server } = prepared
  const many = Array.from({ length: 11 }, (_, index) => `machine${String(index).padStart(4, '0')}`)
  const refused = await root.call(compareMachines, {
    query: { agents: agents(...many), what: 'cpu', ...RANGE },
  })
  expect(refused.status).toBe(400)
  expect(JSON.stringify(refused.error)).toContain('At most 10 machines can be compared.')
  const check = await disk(one, '/srv', 30)
  const bob = server.as(await server.given.user({ permissions: ['can_list_agents'], sites: [one.site_id] }))
  const ask = (ids: string, what: string) =>
    bob.call(compareMachines, { query: { agents: agents(ids), what, ...RANGE } })
  expect((await ask(two.agent_id, 'cpu')).error?.code).toBe('not_found')
  expect((await ask(one.agent_id, `check:${check}:free_percent`)).error?.code).toBe('not_allowed')
  expect((await ask(one.agent_id, 'cpu')).body).toMatchObject({ choices: [], lines: [{ points: [] }] })
  expect((await ask(one.agent_id, `check:x`)).status).toBe(403)
})
