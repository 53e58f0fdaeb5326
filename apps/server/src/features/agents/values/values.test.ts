import { type AgentValueName, listAgentValues } from '@muster/contract/api/agent-values'
import { createAlert } from '@muster/contract/api/alerts'
import { createPolicy } from '@muster/contract/api/policies'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import type { TestClient } from '../../../testing/test-client.ts'
import { createTestServer } from '../../../testing/test-server.ts'
import { storeMetrics } from '../../metrics/store-metrics.ts'
import { storePatches } from '../../patches/store-patches.ts'
import { patchOf } from '../../patches/test-patches.ts'
import { CPU, checkOf, contentOf } from '../../policies/test-policies.ts'
import { storeFacts } from '../store-facts.ts'

const card = { interface: 'eth0', address: '10.0.0.5', family: 'ipv4' as const, mac: '02:00:AB:00:00:01' }
const FACTS = {
  time_zone: 'Europe/Zurich',
  last_logged_in_user: 'lea',
  addresses: [card, { ...card, address: 'fe80::1' }, { ...card, interface: 'lo', mac: '00:00:00:00:00:00' }],
  security: [
    { subject: 'antivirus' as const, name: 'Defender', state: 'on' as const, detail: '' },
    { subject: 'antivirus' as const, name: 'ClamAV', state: 'off' as const, detail: '' },
    { subject: 'disk_encryption' as const, name: '', state: 'absent' as const, detail: '' },
  ],
  guests: [
    {
      runtime: 'docker' as const,
      problem: null,
      guests: [{ name: 'db', image: 'postgres', state: 'running' as const, detail: '' }],
      left_out: 2,
    },
  ],
}

async function prepare() {
  const server = await createTestServer()
  const { ctx } = server
  const site = await server.given.site()
  const a = await server.given.agent({ site_id: site.id, hostname: 'a' })
  const b = await server.given.agent({ hostname: 'b' })
  const root = server.as(await server.given.user({ superuser: true }))
  const now = server.clock.now()
  const values = { swap: 12.3456, load: 0.5, disk_read: 1e6, net_in: 0 }
  const sample = { at: new Date(now.getTime() - 10_000).toISOString(), values }
  const found = { hash: 'a'.repeat(32), patches: [patchOf('vim'), patchOf('curl')], left_out: 0 }
  await ctx.transaction(async (tx, emit) => {
    await storeFacts(tx, now, new Map([[a.agent_id, [{ kind: 'facts', facts: FACTS }]]]))
    await storeMetrics(tx, ctx, [{ agentId: a.agent_id, sample }])
    const report = { kind: 'patches' as const, found, problem: null }
    await storePatches(tx, emit, { reports: [{ agentId: a.agent_id, report }], now })
  })
  for (const message of ['Disk is full', 'Disk is slow'])
    await root.call(createAlert, { body: { message, severity: 'error', agent: a.agent_id } })
  const targets = [{ level: 'client' as const, id: site.client_id }]
  await root.call(createPolicy, {
    body: { active: true, name: 'Base', targets, content: contentOf([checkOf(CPU)]) },
  })
  return { server, site, a, b, root, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

async function valuesOf(client: TestClient, names: AgentValueName[], more: object = {}) {
  const { body } = await client.call(listAgentValues, { query: { names: names.join(','), ...more } })
  return new Map(body.map(({ agent_id, values }) => [agent_id, values]))
}

test('chosen values of machines are listed, and unknown ones are absent', async () => {
  await using world = await prepare()
  const { root, a, b, site } = world
  const all = await valuesOf(root, [
    'swap',
    'load',
    'disk_read',
    'disk_write',
    'net_in',
    'time_zone',
    'enrolled',
    'last_user',
    'mac',
    'antivirus',
    'firewall',
    'encryption',
    'guests',
    'policies',
    'open_alerts',
    'missing_patches',
  ])
  expect(all.get(a.agent_id)).toEqual({
    swap: 12.35,
    load: 0.5,
    disk_read: 1e6,
    net_in: 0,
    time_zone: 'Europe/Zurich',
    enrolled: a.created_at,
    last_user: 'lea',
    mac: '02:00:ab:00:00:01',
    antivirus: 'off: ClamAV, on: Defender',
    encryption: 'absent',
    guests: 3,
    policies: 'Base',
    open_alerts: 2,
    missing_patches: 2,
  })
  expect(all.get(b.agent_id)).toEqual({ enrolled: b.created_at })
  expect(await valuesOf(root, ['mac'])).toEqual(new Map([[a.agent_id, { mac: '02:00:ab:00:00:01' }]]))
  expect([...(await valuesOf(root, ['enrolled'], { site: site.id })).keys()]).toEqual([a.agent_id])
})

test('values are those of visible machines that the role may list', async () => {
  await using world = await prepare()
  const { server, a, b } = world
  const names: AgentValueName[] = ['policies', 'open_alerts', 'time_zone']
  const reader = server.as(await server.given.user({ permissions: ['can_list_agents'] }))
  expect(await valuesOf(reader, names)).toEqual(new Map([[a.agent_id, { time_zone: 'Europe/Zurich' }]]))
  const elsewhere = server.as(await server.given.user({ permissions: PERMISSIONS, sites: [b.site_id] }))
  expect(await valuesOf(elsewhere, [...names, 'enrolled'])).toEqual(
    new Map([[b.agent_id, { enrolled: b.created_at }]]),
  )
})

test.each(['', 'swap,', 'constructor', 'hostname', `${'swap,'.repeat(200)}swap`])(
  'the names %j are refused',
  async (names) => {
    await using server = await createTestServer()
    const root = server.as(await server.given.user({ superuser: true }))
    const { status } = await root.call(listAgentValues, { query: { names } })
    expect(status).toBe(400)
  },
)
