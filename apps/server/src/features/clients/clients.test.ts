import { editAgent, setMaintenance } from '@muster/contract/api/agents'
import {
  createClient,
  createSite,
  editClient,
  editSite,
  getClient,
  listClients,
  listSites,
} from '@muster/contract/api/clients'
import type { Event } from '@muster/contract/events'
import type { Permission } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'

const MANAGE: Permission[] = [
  'can_list_clients',
  'can_manage_clients',
  'can_list_sites',
  'can_manage_sites',
  'can_install_agents',
]

async function asManager(server: TestServer, scope: { clients?: number[]; sites?: number[] } = {}) {
  return server.as(await server.given.user({ permissions: MANAGE, ...scope }))
}

function collectEvents(server: TestServer): Event[] {
  const events: Event[] = []
  server.ctx.onEvent((event) => void events.push(event))
  return events
}

function readAudit(server: TestServer) {
  return server.ctx.db.selectFrom('audit_log').selectAll().orderBy('id').execute()
}

test('a client is listed with its sites by name and the sums of their machines', async () => {
  await using server = await createTestServer()
  const { given } = server
  const acme = await given.client({ name: 'Acme' })
  const zurich = await given.site({ client_id: acme.id, name: 'Zürich' })
  const aachen = await given.site({ client_id: acme.id, name: 'Aachen' })
  await given.site({ client_id: (await given.client({ name: 'Zeta' })).id })
  await given.agent({ site_id: zurich.id, maintenance_mode: 1 })
  await given.agent({ site_id: zurich.id })
  const { body } = await (await asManager(server)).call(listClients, { query: {} })
  expect(body.map((client) => client.name)).toEqual(['Acme', 'Zeta'])
  expect(body[0]).toEqual({
    id: acme.id,
    name: 'Acme',
    tags: [],
    agent_count: 2,
    maintenance_mode: false,
    maintenance_count: 1,
    failing_checks: { error: false, warning: false },
    block_policy_inheritance: false,
    custom_fields: [],
    alert_template: null,
    server_policy: null,
    workstation_policy: null,
    sites: [
      {
        id: aachen.id,
        name: 'Aachen',
        client: acme.id,
        client_name: 'Acme',
        agent_count: 0,
        maintenance_mode: false,
        maintenance_count: 0,
        failing_checks: { error: false, warning: false },
        block_policy_inheritance: false,
        custom_fields: [],
        alert_template: null,
        server_policy: null,
        workstation_policy: null,
      },
      expect.objectContaining({ id: zurich.id, agent_count: 2, maintenance_count: 1 }),
    ],
  })
})

test('a client or site is in maintenance if all of its machines are, and it has some', async () => {
  await using server = await createTestServer()
  const { given } = server
  const { id: clientId } = await given.client()
  const site = (name: string) => given.site({ client_id: clientId, name })
  const [all, some, none] = [await site('all'), await site('some'), await site('none')]
  const machines = [
    await given.agent({ site_id: all.id, maintenance_mode: 1 }),
    await given.agent({ site_id: some.id, maintenance_mode: 1 }),
    await given.agent({ site_id: some.id }),
    await given.agent({ site_id: none.id }),
  ]
  await given.site({ client_id: clientId, name: 'empty' })
  const root = server.as(await given.user({ superuser: true }))
  const state = async () => {
    const { body } = await root.call(getClient, { params: { id: clientId } })
    const sites = body.sites.map(({ name, maintenance_mode: mode, maintenance_count: count }) => [
      name,
      mode,
      count,
    ])
    return [[body.maintenance_mode, body.maintenance_count], ...sites]
  }
  expect(await state()).toEqual([
    [false, 2],
    ['all', true, 1],
    ['empty', false, 0],
    ['none', false, 0],
    ['some', false, 1],
  ])
  await root.call(setMaintenance, { body: { type: 'Client', id: clientId, action: true } })
  expect(await state()).toEqual([
    [true, 4],
    ['all', true, 1],
    ['empty', false, 0],
    ['none', true, 1],
    ['some', true, 2],
  ])
  const [first] = machines
  await root.call(editAgent, { params: { agent_id: first!.agent_id }, body: { maintenance_mode: false } })
  expect((await state())[0]).toEqual([false, 3])
})

test('an overdue machine makes its node fail only if its overdue alert is on', async () => {
  await using server = await createTestServer()
  const { given, ctx } = server
  const before = (minutes: number) => new Date(ctx.now().getTime() - minutes * 60_000).toISOString()
  const siteWith = async (fields: Parameters<typeof given.agent>[0]) => {
    const site = await given.site()
    await given.agent({ site_id: site.id, overdue_time: 30, ...fields })
    return site.id
  }
  const alert = { overdue_email_alert: 1 } as const
  const expected = new Map([
    [await siteWith({ last_seen: before(31), ...alert }), true],
    [await siteWith({ last_seen: before(31), overdue_text_alert: 1 }), true],
    [await siteWith({ last_seen: before(31), overdue_dashboard_alert: 1 }), true],
    [await siteWith({ last_seen: before(31) }), false],
    [await siteWith({ last_seen: before(29), ...alert }), false],
    [await siteWith({ last_seen: before(31), connected: 1, ...alert }), false],
    [await siteWith({ last_seen: null, ...alert }), false],
    [await siteWith({ last_seen: before(31), overdue_time: 60, ...alert }), false],
  ])
  const mixed = await siteWith({ last_seen: before(31), overdue_time: 60, ...alert })
  await given.agent({ site_id: mixed, overdue_time: 30, last_seen: before(31), ...alert })
  expected.set(mixed, true)
  const { body } = await (await asManager(server)).call(listSites, { query: {} })
  expect(new Map(body.map((site) => [site.id, site.failing_checks.error]))).toEqual(expected)
})

test('a user with one site sees its client with that site only, and only its counts', async () => {
  await using server = await createTestServer()
  const { given } = server
  const acme = await given.client()
  const seen = await given.site({ client_id: acme.id })
  const hidden = await given.site({ client_id: acme.id })
  await given.agent({ site_id: seen.id })
  await given.agent({ site_id: hidden.id, maintenance_mode: 1 })
  await given.site()
  const caller = await asManager(server, { sites: [seen.id] })
  const { body } = await caller.call(listClients, { query: {} })
  expect(body).toMatchObject([
    { id: acme.id, agent_count: 1, maintenance_mode: false, sites: [{ id: seen.id }] },
  ])
  expect((await caller.call(listSites, { query: {} })).body.map((site) => site.id)).toEqual([seen.id])
  const rename = await caller.call(editClient, {
    params: { id: acme.id },
    body: { client: { name: 'Mine' } },
  })
  expect(rename.error).toMatchObject({ code: 'not_allowed' })
  const addition = await caller.call(createSite, { body: { site: { client: acme.id, name: 'New' } } })
  expect(addition.error).toMatchObject({ code: 'not_allowed' })
})

test('invisible objects and missing objects look the same', async () => {
  await using server = await createTestServer()
  const { given } = server
  const mine = await given.site()
  const other = await given.site()
  const caller = await asManager(server, { clients: [mine.client_id] })
  const missing = await caller.call(getClient, { params: { id: 999 } })
  const hidden = await caller.call(getClient, { params: { id: other.client_id } })
  expect(hidden.status).toBe(404)
  expect({ ...hidden.error, request_id: '' }).toEqual({ ...missing.error, request_id: '' })
  const edit = await caller.call(editSite, { params: { id: other.id }, body: { site: { name: 'x' } } })
  expect(edit.status).toBe(404)
  const move = await caller.call(editSite, {
    params: { id: mine.id },
    body: { site: { client: other.client_id } },
  })
  expect(move.status).toBe(404)
})

test('a client is added with its first site, its audit row and its event', async () => {
  await using server = await createTestServer()
  const events = collectEvents(server)
  const caller = await asManager(server)
  const { body } = await caller.call(createClient, {
    body: { client: { name: '  Acme  ' }, site: { name: ' Berlin ' } },
  })
  expect(body).toMatchObject({
    name: 'Acme',
    agent_count: 0,
    sites: [{ name: 'Berlin', client_name: 'Acme' }],
  })
  expect(events).toContainEqual({ type: 'client.changed', ids: [body.id] })
  const [row] = await readAudit(server)
  expect(row).toMatchObject({ action: 'add', object_type: 'client', client_id: body.id, client: 'Acme' })
  expect(JSON.parse(row?.after_value ?? '')).toEqual({ name: 'Acme', sites: ['Berlin'] })
})

test('hostile names are stored and returned as plain text', async () => {
  await using server = await createTestServer()
  const caller = await asManager(server)
  const names = ['<img onerror=alert(1)>', 'evil שלום', '😀'.repeat(120), "'; drop table clients; --"]
  for (const name of names) {
    const { body } = await caller.call(createClient, { body: { client: { name }, site: { name } } })
    expect(body).toMatchObject({ name, sites: [{ name }] })
  }
})

test.each([
  ['a bar', 'a|b', 400, 'client.name'],
  ['nothing but spaces', '   ', 400, 'client.name'],
  ['10,000 characters', 'x'.repeat(10_000), 400, 'client.name'],
  ['a name that is taken', 'Taken', 409, 'client.name'],
  ['a taken name with spaces around it', ' Taken ', 409, 'client.name'],
  ['a taken name in another case', 'TAKEN', 409, 'client.name'],
  ['a character of direction', '\u202Enekat', 400, 'client.name'],
  ['a zero-width space', 'Taken\u200B', 400, 'client.name'],
])('a client name with %s is refused at its field', async (_, name, status, field) => {
  await using server = await createTestServer()
  await server.given.client({ name: 'Taken' })
  const caller = await asManager(server)
  const { status: answered, error } = await caller.call(createClient, {
    body: { client: { name }, site: { name: 'Main' } },
  })
  expect(answered).toBe(status)
  expect(Object.keys(error.fields ?? {})).toEqual([field])
})

test('a site name is unique within its client only', async () => {
  await using server = await createTestServer()
  const site = await server.given.site({ name: 'Main' })
  const { client_id: other } = await server.given.site()
  const caller = await asManager(server)
  const twice = await caller.call(createSite, { body: { site: { client: site.client_id, name: 'Main' } } })
  expect(twice.error).toMatchObject({ code: 'conflict', fields: { 'site.name': [expect.any(String)] } })
  const elsewhere = await caller.call(createSite, { body: { site: { client: other, name: 'Main' } } })
  expect(elsewhere.body).toMatchObject({ name: 'Main', client: other })
  const rename = await server.given.site({ client_id: site.client_id, name: 'Second' })
  const taken = await caller.call(editSite, { params: { id: rename.id }, body: { site: { name: 'Main' } } })
  expect(taken.error).toMatchObject({ code: 'conflict', fields: { 'site.name': [expect.any(String)] } })
})

test('a rename keeps both names, and a rename to the same name leaves no trace', async () => {
  await using server = await createTestServer()
  const { client_id: id } = await server.given.site()
  const caller = await asManager(server)
  const rename = (name: string) => caller.call(editClient, { params: { id }, body: { client: { name } } })
  expect((await rename('Acme')).body.name).toBe('Acme')
  await rename('Acme')
  const rows = await readAudit(server)
  expect(rows).toHaveLength(1)
  expect(JSON.parse(rows[0]?.after_value ?? '')).toEqual({ name: 'Acme' })
})

test('two concurrent renames both succeed, and the last one wins', async () => {
  await using server = await createTestServer()
  const { client_id: id } = await server.given.site()
  const caller = await asManager(server)
  const names = Array.from({ length: 20 }, (_, index) => `Name ${index}`)
  const answers = await Promise.all(
    names.map((name) => caller.call(editClient, { params: { id }, body: { client: { name } } })),
  )
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect(names).toContain((await caller.call(getClient, { params: { id } })).body.name)
  expect(await readAudit(server)).toHaveLength(20)
})

test('one of many concurrent requests for the same client succeeds', async () => {
  await using server = await createTestServer()
  const caller = await asManager(server)
  const body = { client: { name: 'Acme' }, site: { name: 'Main' } }
  const answers = await Promise.all(Array.from({ length: 10 }, () => caller.call(createClient, { body })))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array.from({ length: 9 }, () => 409),
  ])
})

test('a limited user who adds a client sees it, and so do users with the same role', async () => {
  await using server = await createTestServer()
  const events = collectEvents(server)
  const { client_id: old } = await server.given.site()
  const ada = await server.given.user({ permissions: MANAGE, clients: [old] })
  const caller = server.as(ada)
  const { body } = await caller.call(createClient, {
    body: { client: { name: 'New' }, site: { name: 'Main' } },
  })
  expect((await caller.call(listClients, { query: {} })).body.map(({ id }) => id)).toEqual(
    expect.arrayContaining([old, body.id]),
  )
  expect(events).toContainEqual({ type: 'user.changed', ids: [ada.id] })
})

test('a site moves to another client with its machines, but not the last of its client', async () => {
  await using server = await createTestServer()
  const events = collectEvents(server)
  const { given } = server
  const site = await given.site({ name: 'Berlin' })
  const stays = await given.site({ client_id: site.client_id })
  const target = await given.client({ name: 'Target' })
  await given.site({ client_id: target.id })
  const agent = await given.agent({ site_id: site.id })
  const caller = await asManager(server)
  const move = (id: number) =>
    caller.call(editSite, { params: { id }, body: { site: { client: target.id } } })
  expect((await move(site.id)).body).toMatchObject({ client_name: 'Target', agent_count: 1, name: 'Berlin' })
  expect(events).toContainEqual({ type: 'client.changed', ids: [site.client_id, target.id] })
  expect(events).toContainEqual({ type: 'agent.changed', ids: [agent.agent_id], agent_ids: [agent.agent_id] })
  expect((await move(stays.id)).error).toMatchObject({ code: 'conflict' })
})
