import { createUser, deleteUser, editUser } from '@muster/contract/api/accounts'
import { listAgents } from '@muster/contract/api/agents'
import {
  createApiKey,
  deleteApiKey,
  editApiKey,
  listApiKeys,
  rotateApiKey,
} from '@muster/contract/api/api-keys'
import { listAudit } from '@muster/contract/api/audit'
import { createClient, listClients } from '@muster/contract/api/clients'
import { planFleetJob, startFleetJob } from '@muster/contract/api/fleet-jobs'
import { createNote } from '@muster/contract/api/notes'
import { createRepeatingJob } from '@muster/contract/api/repeating-jobs'
import { deleteRole } from '@muster/contract/api/roles'
import { checkCredentials } from '@muster/contract/api/sessions'
import { createSocketTicket, getVersion } from '@muster/contract/api/system'
import { getMe } from '@muster/contract/api/users'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { findUserCaller } from '../sessions/find-caller.ts'
import type { TestClient } from '../../../testing/test-client.ts'
import { createTestServer } from '../../../testing/test-server.ts'
import { MAX_REQUESTS_PER_MINUTE } from './authenticate-key.ts'

const NOON = '2026-11-26T12:00:00.000Z'
const PASSWORD = 'battery of staples'

async function prepare() {
  const server = await createTestServer()
  server.clock.freeze(NOON)
  const owner = await server.given.user({ superuser: true, username: 'ada' })
  return {
    server,
    owner,
    admin: server.as(owner),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('a key is shown once, acts for its owner without a session, and ends when it is deleted', async () => {
  await using fixture = await prepare()
  const { server, admin, owner } = fixture
  const { body: made } = await admin.call(createApiKey, { body: { name: 'Grafana', user: owner.id } })
  expect(made).toMatchObject({ name: 'Grafana', username: 'ada', user: owner.id, clients: null, role: null })
  expect(made.key).toMatch(/^muster_[\w-]{43}$/)
  const program = server.withKey(made)
  expect((await program.call(getMe, {})).body).toMatchObject({ username: 'ada', is_superuser: true })
  const { client } = await server.given.site().then((site) => ({ client: site.client_id }))
  const agent = await server.given.agent({})
  const body = { agent_id: agent.agent_id, note: 'Written by a program' }
  expect((await program.call(createNote, { body })).status).toBe(200)
  expect(program.cookies.size, 'no cookie is set').toBe(0)
  expect((await program.call(listClients, {})).body.map(({ id }) => id)).toContain(client)

  const { text } = await admin.call(listApiKeys, {})
  expect(text).not.toContain(made.key)
  const stored = JSON.stringify(await server.ctx.db.selectFrom('api_keys').selectAll().execute())
  expect(stored).not.toContain(made.key)
  const { body: log } = await admin.call(listAudit, {
    body: { pagination: { page: 1, rowsPerPage: 50, sortBy: 'entry_time', descending: true } },
  })
  expect(JSON.stringify(log)).not.toContain(made.key)
  expect(
    log.audit_logs.map(({ username, api_key, object_type }) => [username, api_key, object_type]),
  ).toEqual(
    expect.arrayContaining([
      ['ada', 'Grafana', 'note'],
      ['ada', null, 'apikey'],
    ]),
  )

  await admin.call(deleteApiKey, { params: { id: made.id } })
  expect(await program.call(getVersion, {})).toMatchObject({
    status: 401,
    error: { code: 'not_signed_in', detail: 'This API key is not known.' },
  })
  expect((await admin.call(listApiKeys, {})).body).toEqual([])
})

test('a key with a role and clients has only the rights that owner, role and clients share', async () => {
  await using fixture = await prepare()
  const { server, owner } = fixture
  const { given } = server
  const [mine, other] = [await given.site(), await given.site()]
  await given.agent({ site_id: mine.id, hostname: 'mine' })
  await given.agent({ site_id: other.id, hostname: 'other' })
  const namesOf = async (key: { key: string }) => {
    const { status, text } = await server.withKey({ id: 0, name: '', ...key }).call(listAgents, {})
    return status === 200
      ? (JSON.parse(text) as { hostname: string }[]).map(({ hostname }) => hostname)
      : status
  }
  const permissions = ['can_list_agents'] as const
  expect(await namesOf(await given.apiKey(owner, { permissions }))).toEqual(['mine', 'other'])
  expect(await namesOf(await given.apiKey(owner, { permissions: ['can_list_checks'] }))).toBe(403)
  expect(await namesOf(await given.apiKey(owner, { clients: [mine.client_id] }))).toEqual(['mine'])
  expect(await namesOf(await given.apiKey(owner, { clients: [] }))).toEqual([])

  const limited = await given.user({ permissions: PERMISSIONS, sites: [mine.id] })
  expect(await namesOf(await given.apiKey(limited))).toEqual(['mine'])
  const both = [mine.client_id, other.client_id]
  expect(await namesOf(await given.apiKey(limited, { permissions, clients: both }))).toEqual(['mine'])
  expect(await namesOf(await given.apiKey(limited, { clients: [other.client_id] }))).toEqual([])
  const weak = await given.user({ permissions: ['can_list_checks'] })
  expect(await namesOf(await given.apiKey(weak, { permissions: PERMISSIONS })), 'more than the owner').toBe(
    403,
  )

  const narrowed = server.withKey(await given.apiKey(owner, { clients: [mine.client_id] }))
  const client = { client: { name: 'New' }, site: { name: 'Site' } }
  expect((await narrowed.call(createClient, { body: client })).status).toBe(403)
  expect((await narrowed.call(getMe, {})).body.is_superuser).toBe(false)
})

test('a client that is deleted does not widen the scope of a key, and a role in use cannot be deleted', async () => {
  await using fixture = await prepare()
  const { server, admin, owner } = fixture
  const { given, ctx } = server
  const client = await given.client()
  await given.agent()
  const key = await given.apiKey(owner, { permissions: PERMISSIONS, clients: [client.id] })
  await ctx.db.deleteFrom('clients').where('id', '=', client.id).execute()
  expect((await server.withKey(key).call(listAgents, {})).body).toEqual([])
  expect((await admin.call(listApiKeys, {})).body).toMatchObject([{ clients: [] }])
  const row = await ctx.db.selectFrom('api_keys').select('role_id').executeTakeFirstOrThrow()
  expect(await admin.call(deleteRole, { params: { id: row.role_id ?? 0 } })).toMatchObject({
    status: 409,
    error: { detail: expect.stringContaining(`the API key "${key.name}" has it`) },
  })
})

test('expiry, blocked and deleted owners end a key at once', async () => {
  await using fixture = await prepare()
  const { server } = fixture
  const user = await server.given.user({ permissions: PERMISSIONS })
  const expiring = await server.given.apiKey(user, { fields: { expires_at: '2026-11-26T13:00:00.000Z' } })
  const key = await server.given.apiKey(user)
  const call = async (one: typeof key) => {
    const { status, text } = await server.withKey(one).call(getVersion, {})
    return status === 200 ? status : (JSON.parse(text) as { detail: string }).detail
  }
  expect(await call(expiring)).toBe(200)
  server.clock.advance(3600)
  expect(await call(expiring)).toBe('This API key has expired.')
  const admin = server.as(await server.given.user({ superuser: true }))
  await admin.call(editUser, { params: { id: user.id }, body: { is_active: false } })
  expect(await call(key)).toBe('The owner of this API key is blocked.')
  expect((await admin.call(listApiKeys, {})).body.map(({ blocked }) => blocked)).toEqual([true, true])
  await admin.call(editUser, { params: { id: user.id }, body: { is_active: true } })
  expect(await call(key)).toBe(200)
  await admin.call(deleteUser, { params: { id: user.id } })
  expect(await call(key)).toBe('This API key is not known.')
})

test('only allowed addresses use a key, and wrong ones are audited and slowed down', async () => {
  await using fixture = await prepare()
  const { server, admin, owner } = fixture
  const { body: made } = await admin.call(createApiKey, {
    body: { name: 'Office', user: owner.id, allowed_addresses: ['203.0.113.0/24', '2001:db8::7'] },
  })
  const from = async (source: string) => {
    const program = server.withKey(made)
    program.source = source
    return program.call(getVersion, {})
  }
  for (const source of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8::7'])
    expect([source, (await from(source)).status]).toEqual([source, 200])
  for (const source of ['203.0.114.9', '2001:db8::8', '127.0.0.1'])
    expect([source, (await from(source)).status]).toEqual([source, 403])
  expect((await from('127.0.0.1')).error.detail).toBe('This API key may not be used from 127.0.0.1.')
  const rows = await server.ctx.db
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', 'failed_login')
    .execute()
  expect(rows.map(({ api_key, ip_address }) => [api_key, ip_address])).toContainEqual([
    'Office',
    '203.0.114.9',
  ])
  for (let i = 0; i < 5; i += 1) await from('198.51.100.1')
  expect((await from('198.51.100.1')).status).toBe(429)
  expect((await from('203.0.113.9')).status, 'the good address is not slowed down').toBe(200)
  for (const wrong of ['10.0.0.0/33', '127.1', 'office', '::1/129', '10.0.0.0/8/8', 'fe80::1%eth0'])
    expect([
      wrong,
      (await admin.call(editApiKey, { params: { id: made.id }, body: { allowed_addresses: [wrong] } })).error
        .fields,
    ]).toEqual([wrong, { allowed_addresses: [expect.stringContaining('is not an address')] }])
})

test('unknown and malformed keys are refused, and guessing is slowed down without stopping good keys', async () => {
  await using fixture = await prepare()
  const { server, owner } = fixture
  const good = await server.given.apiKey(owner)
  const statuses = new Set<number>()
  const wrong = [
    '',
    'x',
    'a'.repeat(8000),
    `${good.key}x`,
    `muster_${'A'.repeat(43)}`,
    'ä',
    "' or 1=1",
    '%00',
  ]
  for (const key of wrong) {
    const program = server.withKey({ ...good, key: key === '' ? ' ' : key })
    statuses.add((await program.call(getVersion, {})).status)
  }
  expect(statuses).toEqual(new Set([401, 429]))
  expect((await server.withKey(good).call(getVersion, {})).status).toBe(200)
  const browser = server.as(owner)
  browser.headers = { 'x-api-key': good.key, authorization: '' }
  expect((await browser.call(getVersion, {})).error.detail).toBe(
    'Send the API key without the session cookie.',
  )
})

test('a rotated key overlaps with the old one for the chosen hours', async () => {
  await using fixture = await prepare()
  const { server, admin, owner } = fixture
  const old = await server.given.apiKey(owner)
  const works = async (key: string) =>
    (await server.withKey({ ...old, key }).call(getVersion, {})).status === 200
  const rotate = (by: TestClient, hours: number) =>
    by.call(rotateApiKey, { params: { id: old.id }, body: { old_key_hours: hours } })
  const { body: second } = await rotate(admin, 2)
  expect(second.old_key_until).toBe('2026-11-26T14:00:00.000Z')
  expect([await works(old.key), await works(second.key)]).toEqual([true, true])
  server.clock.advance(2 * 3600)
  expect([await works(old.key), await works(second.key)]).toEqual([false, true])
  const later = server.as(await server.given.user({ superuser: true }))
  const { body: third } = await rotate(later, 0)
  expect(third.old_key_until).toBeNull()
  expect([await works(second.key), await works(third.key)]).toEqual([false, true])
  expect((await rotate(later, 169)).status).toBe(400)
})

test('the last use is written at most once a minute, and consoles learn of it', async () => {
  await using fixture = await prepare()
  const { server, admin, owner } = fixture
  const key = await server.given.apiKey(owner)
  const events: unknown[] = []
  server.ctx.onEvent((event) => void (event.type === 'api_key.changed' && events.push(event.ids)))
  const program = server.withKey(key)
  program.source = '203.0.113.9'
  const read = async () => {
    const [row] = (await admin.call(listApiKeys, {})).body
    return [row?.last_used, row?.last_used_ip, events.length]
  }
  expect(await read()).toEqual([null, null, 0])
  await program.call(getVersion, {})
  expect(await read()).toEqual([NOON, '203.0.113.9', 1])
  server.clock.advance(59)
  await program.call(getVersion, {})
  expect(await read()).toEqual([NOON, '203.0.113.9', 1])
  server.clock.advance(1)
  await Promise.all(Array.from({ length: 5 }, () => program.call(getVersion, {})))
  expect(await read()).toEqual(['2026-11-26T12:01:00.000Z', '203.0.113.9', 2])
})

test('a key sends a limited number of requests within a minute', async () => {
  await using fixture = await prepare()
  const { server, owner } = fixture
  const [busy, calm] = [await server.given.apiKey(owner), await server.given.apiKey(owner)]
  const program = server.withKey(busy)
  for (let i = 0; i < MAX_REQUESTS_PER_MINUTE; i += 1) await program.call(getVersion, {})
  server.clock.advance(20)
  const refused = await program.call(getVersion, {})
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '40'])
  expect((await server.withKey(calm).call(getVersion, {})).status).toBe(200)
  server.clock.advance(40)
  expect((await program.call(getVersion, {})).status).toBe(200)
})

test('nobody makes or changes a key of a user with more rights, nor over a newer version', async () => {
  await using fixture = await prepare()
  const { server, admin, owner } = fixture
  const permissions = ['can_list_api_keys', 'can_manage_api_keys'] as const
  const helper = await server.given.user({ permissions })
  const weak = server.as(helper)
  const { body: own } = await weak.call(createApiKey, { body: { name: 'Own', user: helper.id } })
  expect((await weak.call(createApiKey, { body: { name: 'Root', user: owner.id } })).status).toBe(403)
  const root = await server.given.apiKey(owner, { fields: { last_used_source: '203.0.113.9' } })
  const params = { id: root.id }
  expect((await weak.call(editApiKey, { params, body: { name: 'Mine' } })).status).toBe(403)
  expect((await weak.call(rotateApiKey, { params, body: {} })).status).toBe(403)
  expect((await weak.call(deleteApiKey, { params })).status).toBe(403)
  const seen = (await weak.call(listApiKeys, {})).body.find(({ id }) => id === root.id)
  expect(seen).toMatchObject({ may_change: false, last_used_ip: null })

  const edit = { name: 'Renamed', modified: own.modified }
  expect((await admin.call(editApiKey, { params: { id: own.id }, body: edit })).body.name).toBe('Renamed')
  expect((await admin.call(editApiKey, { params: { id: own.id }, body: edit })).error.code).toBe(
    'changed_meanwhile',
  )
  const unknown = { role: 4711, clients: [4711] }
  for (const [field, value] of Object.entries(unknown))
    expect(
      (await admin.call(editApiKey, { params: { id: own.id }, body: { [field]: value } })).error.fields,
    ).toHaveProperty(field)
  expect((await admin.call(createApiKey, { body: { name: 'Renamed', user: owner.id } })).status).toBe(409)
  const past = { expiration: '2026-11-26T11:00:00.000Z' }
  expect((await admin.call(editApiKey, { params: { id: own.id }, body: past })).error.fields).toHaveProperty(
    'expiration',
  )
})

test('work that a key started keeps its rights, and has none after the key is deleted', async () => {
  await using fixture = await prepare()
  const { server, owner, admin } = fixture
  const { given, ctx } = server
  const [mine, other] = [await given.site(), await given.site()]
  await given.agent({ site_id: mine.id })
  await given.agent({ site_id: other.id })
  const key = await given.apiKey(owner, { permissions: PERMISSIONS, clients: [mine.client_id] })
  const program = server.withKey(key)
  const draft = {
    target: { by: 'all' as const },
    action: { type: 'command' as const, shell: 'sh' as const, cmd: 'true' },
  }
  const { body: plan } = await program.call(planFleetJob, { body: draft })
  expect(plan).toMatchObject({ matched: 1 })
  await program.call(startFleetJob, { body: { draft, hash: plan.hash } })
  await program.call(createRepeatingJob, { body: { draft, repeat: { cron: '0 2 * * *' } } })
  for (const table of ['fleet_jobs', 'repeating_jobs'] as const) {
    const row = await ctx.db.selectFrom(table).selectAll().executeTakeFirstOrThrow()
    expect(await findUserCaller(ctx, row)).toMatchObject({
      isSuperuser: false,
      scope: { all: false, clientIds: [mine.client_id] },
      apiKey: { name: key.name },
    })
  }
  await admin.call(deleteApiKey, { params: { id: key.id } })
  const row = await ctx.db.selectFrom('fleet_jobs').selectAll().executeTakeFirstOrThrow()
  expect(await findUserCaller(ctx, row)).toBeUndefined()
})

test('a user for programs has keys, but no sign-in, session or socket', async () => {
  await using fixture = await prepare()
  const { server, admin } = fixture
  expect((await admin.call(createUser, { body: { username: 'nobody' } })).error.fields).toHaveProperty(
    'password',
  )
  const { body: robot } = await admin.call(createUser, {
    body: { username: 'robot', block_dashboard_login: true },
  })
  const { body: made } = await admin.call(createApiKey, { body: { name: 'Robot', user: robot.id } })
  const program = server.withKey(made)
  expect((await program.call(getMe, {})).body).toMatchObject({ username: 'robot', permissions: [] })
  expect((await program.call(createSocketTicket, {})).error.detail).toBe(
    'API keys cannot do this. Sign in to the console instead.',
  )
  const eve = await server.given.user({ username: 'eve', password: PASSWORD })
  const body = { username: 'eve', password: PASSWORD }
  expect((await server.anonymous.call(checkCredentials, { body })).status).toBe(200)
  const block = { block_dashboard_login: true }
  expect((await admin.call(editUser, { params: { id: eve.id }, body: block })).status).toBe(200)
  expect((await server.as(eve).call(getVersion, {})).status, 'the session has ended').toBe(401)
  expect(await server.anonymous.call(checkCredentials, { body })).toMatchObject({
    status: 403,
    error: { detail: 'This user is for programs only and cannot sign in.' },
  })
  const wrong = { username: 'eve', password: 'a wrong password' }
  expect((await server.anonymous.call(checkCredentials, { body: wrong })).error.code).toBe('bad_credentials')
  expect(
    (await admin.call(editUser, { params: { id: fixture.owner.id }, body: block })).error.fields,
  ).toHaveProperty('block_dashboard_login')
})
