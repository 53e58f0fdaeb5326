import { type AgentRow, listAgents } from '@muster/contract/api/agents'
import { listSearchFields, searchAgents } from '@muster/contract/api/agent-search'
import { editClient } from '@muster/contract/api/clients'
import { createCustomField } from '@muster/contract/api/custom-fields'
import { compileSearch } from '@muster/rules/search/machine-search'
import { searchText } from '@muster/rules/search/search-text'
import { parseSearch } from '@muster/rules/search/parse-search'
import { SEARCH_FIELDS } from '@muster/rules/search/search-fields'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'
import { storeFacts } from '../store-facts.ts'
import { addMachine, namesOf } from './test-search.ts'

const FACTS = {
  disks: [{ device: '/dev/sda1', mount: '/', fstype: 'ext4', total: 100, used: 50, free: 50, percent: 50 }],
  physical_disks: [{ name: 'Disk', size: 100, type: 'SSD', serial: 'S5X1' }],
  addresses: [{ interface: 'eth0', address: '10.0.0.5', family: 'ipv4' as const, mac: '02:00:00:00:00:01' }],
  security: [
    { subject: 'antivirus' as const, name: 'ClamAV', state: 'on' as const, detail: '' },
    { subject: 'firewall' as const, name: 'ufw', state: 'off' as const, detail: '' },
  ],
  guests: [
    {
      runtime: 'docker' as const,
      problem: null,
      guests: [{ name: 'db', image: 'postgres', state: 'stopped' as const, detail: '' }],
      left_out: 0,
    },
  ],
}

async function prepare() {
  const server = await createTestServer()
  const [acme, berta] = [await server.given.site(), await server.given.site()]
  const root = server.as(await server.given.user({ superuser: true }))
  await root.call(createCustomField, { body: { model: 'agent', type: 'text', name: 'Room' } })
  const { body: sla } = await root.call(createCustomField, {
    body: { model: 'client', type: 'text', name: 'SLA' },
  })
  const first = await addMachine(server, { site_id: acme.id, hostname: 'web-1' }, [
    'firefox 128.0',
    'curl 8.1',
  ])
  await server.ctx.transaction((tx) =>
    storeFacts(tx, server.clock.now(), new Map([[first, [{ kind: 'facts', facts: FACTS }]]])),
  )
  await addMachine(server, { site_id: acme.id, hostname: 'web-2', plat: 'windows' }, ['firefox 131.0'])
  await addMachine(server, { site_id: acme.id, hostname: 'db-1', description: 'front desk' }, ['curl 7.9'])
  await addMachine(server, { site_id: berta.id, hostname: 'web-9' }, ['firefox 115.2'])
  await root.call(editClient, {
    params: { id: berta.client_id },
    body: { client: {}, custom_fields: [{ field: sla.id, value: 'gold' }] },
  })
  const limited = server.as(
    await server.given.user({
      permissions: ['can_list_agents'],
      clients: [acme.client_id],
    }),
  )
  return { server, root, limited, acme, berta, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('machines are found by fields of their rows and by facts that only the server has', async () => {
  await using world = await prepare()
  const { root, acme } = world
  expect(await namesOf(root, '')).toEqual(['db-1', 'web-1', 'web-2', 'web-9'])
  expect(await namesOf(root, 'name:web-* platform:linux')).toEqual(['web-1', 'web-9'])
  expect(await namesOf(root, 'software:firefox<130')).toEqual(['web-1', 'web-9'])
  expect(await namesOf(root, '-software:FireFox or "front desk"')).toEqual(['db-1'])
  expect(await namesOf(root, 'software:(curl>=8, fire*x>=130)')).toEqual(['web-1', 'web-2'])
  expect(await namesOf(root, 'software:f_refox')).toEqual([])
  expect(await namesOf(root, 'software:firefox', { site: acme.id })).toEqual(['web-1', 'web-2'])
  const { body } = await root.call(searchAgents, { body: { search: 'web software:firefox>=130' } })
  expect(body.terms).toEqual([{ term: 'software:firefox>=130', ids: body.ids }])
  expect((await root.call(listSearchFields, {})).body).toEqual([
    { id: expect.any(Number), name: 'Room', type: 'text', model: 'agent' },
    { id: expect.any(Number), name: 'SLA', type: 'text', model: 'client' },
  ])
})

test('a search that cannot be read is refused with its error', async () => {
  await using world = await prepare()
  const { root } = world
  for (const [search, message] of [
    ['softwre:firefox', 'There is no field softwre. Did you mean software?'],
    ['disk_free<10', '"10" is not a size or a share, such as 20gb or 10%.'],
    ['cf.Rom:x', 'There is no custom field Rom. Did you mean cf.Room?'],
  ]) {
    const refused = await root.call(searchAgents, { body: { search: search ?? '' } })
    expect(refused).toMatchObject({ status: 400, error: { detail: message } })
  }
})

test('a limited role finds only its machines, and needs the right for what it searches by', async () => {
  await using world = await prepare()
  const { limited, berta } = world
  expect(await namesOf(limited, 'name:web')).toEqual(['web-1', 'web-2'])
  expect(await namesOf(limited, 'name:web', { site: berta.id })).toEqual([])
  const refused = await limited.call(searchAgents, { body: { search: 'software:firefox' } })
  expect(refused).toMatchObject({
    status: 403,
    error: { detail: 'Your role does not allow you to search by software.' },
  })
})

test('a console gets the same answer from its rows as the server', async () => {
  await using world = await prepare()
  const { root } = world
  const rows = (await root.call(listAgents, {})).body as AgentRow[]
  const customFields = (await root.call(listSearchFields, {})).body
  const leaf = fc.constantFrom(
    'web',
    '1',
    '"front desk"',
    'w*b-*',
    'is:offline',
    'not:windows',
    'name:db',
    'platform:(windows, macos)',
    'last_seen:never',
    'ram<16gb',
    'disk_free>5%',
    'room:x',
    'software:firefox<130',
    'software:curl',
    'mac:02:00',
    '02:00:00:00:00:01',
    'disk_serial:s5x',
    'file_system:ext4',
    'device=/dev/sda1',
    'antivirus_product:clam*',
    'firewall_product:ufw',
    'guest_state:(stopped, failed)',
    'client.sla:gold',
    'client.sla:""',
  )
  const { search } = fc.letrec<{ search: string }>((tie) => ({
    search: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc.tuple(tie('search'), tie('search')).map(([a, b]) => `${a} (${b})`),
      fc.tuple(tie('search'), tie('search')).map(([a, b]) => `${a} or ${b}`),
      tie('search').map((text) => `-(${text})`),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(search, async (text) => {
      const { body } = await root.call(searchAgents, { body: { search: text } })
      const { node } = parseSearch(text, customFields)
      const sets = new Map(body.terms.map(({ term, ids }) => [term, new Set(ids)]))
      const { matches } = compileSearch(node, {
        nowMs: world.server.clock.now().getTime(),
        customFields,
        sets,
      })
      const own = rows.filter((row) => matches(row, searchText(row))).map(({ agent_id }) => agent_id)
      expect(body.ids.toSorted()).toEqual(own.toSorted())
    }),
    { numRuns: 60 },
  )
})

test('every field that rows cannot answer has a source', async () => {
  await using server = await createTestServer()
  const remote = SEARCH_FIELDS.filter((field) => field.remote === true).map(({ name }) => name)
  expect(Object.keys(server.ctx.hooks.searchTerms).toSorted()).toEqual(remote.toSorted())
})
