import type { Endpoint } from '@muster/contract/endpoint'
import { isPermission, PERMISSIONS } from '@muster/contract/permissions'
import { beforeAll, expect, test } from 'vitest'
import { markSetupDone } from './features/clients/finish-setup.ts'
import type { TestClient } from './testing/test-client.ts'
import { createTestServer, type TestServer } from './testing/test-server.ts'
import { addressIn, bodyIn, queryIn } from './testing/test-calls.ts'
import { readHidden, readShared } from './testing/read-world.ts'
import { createWorld, type World } from './testing/test-world.ts'
import { READS, type Rule, RULES, UNAUDITED } from './testing/walk-rules.ts'

// Walks every endpoint of the API, so that new ones are covered automatically.

/** How the access of a caller is limited. */
const LIMITS = ['client', 'site', 'client by an API key'] as const
type Limit = (typeof LIMITS)[number]

let endpoints: readonly Endpoint[] = []
beforeAll(async () => {
  await using server = await createTestServer()
  endpoints = [...server.app.api.mounted]
})

test('endpoints that are not public refuse anonymous callers', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  for (const endpoint of endpoints) {
    const { status } = await visit(server.anonymous, endpoint, world)
    if (endpoint.access === 'public') expect([nameOf(endpoint), status]).not.toEqual([nameOf(endpoint), 401])
    else expect([nameOf(endpoint), status]).toEqual([nameOf(endpoint), 401])
  }
})

test('every endpoint with a permission refuses a user and API keys without permissions', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  const nobody = await server.given.user()
  const weakKey = await server.given.apiKey(await server.given.user({ superuser: true }), { permissions: [] })
  const programs = [server.withKey(await server.given.apiKey(nobody)), server.withKey(weakKey)]
  for (const endpoint of endpoints) {
    if (!isPermission(endpoint.access)) continue
    for (const client of [server.as(nobody), ...programs]) {
      const { status, error } = await visit(client, endpoint, world)
      expect([nameOf(endpoint), status, error.code]).toEqual([nameOf(endpoint), 403, 'not_allowed'])
    }
  }
})

test('a user who lacks one permission is refused exactly that', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  for (const endpoint of endpoints) {
    if (!isPermission(endpoint.access)) continue
    const permissions = PERMISSIONS.filter((permission) => permission !== endpoint.access)
    const user = await server.given.user({ permissions })
    const { status } = await visit(server.as(user), endpoint, world)
    expect([nameOf(endpoint), status]).toEqual([nameOf(endpoint), 403])
  }
})

test('endpoints for people refuse API keys, even of a superuser', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  const program = server.withKey(await server.given.apiKey(await server.given.user({ superuser: true })))
  const forPeople = endpoints.filter(({ needsPerson }) => needsPerson === true)
  for (const endpoint of forPeople) {
    const { status, error } = await visit(program, endpoint, world)
    expect([nameOf(endpoint), status, error.code]).toEqual([nameOf(endpoint), 403, 'not_allowed'])
  }
  const isWriteOfAccounts = ({ method, path, access }: Endpoint) =>
    access !== 'public' && method !== 'GET' && path.startsWith('/accounts/') && path !== '/accounts/users/ui/'
  expect(forPeople).toEqual(expect.arrayContaining(endpoints.filter(isWriteOfAccounts)))
})

test('each permission is required by an endpoint', () => {
  const demanded = new Set<string>(endpoints.map(({ access }) => access))
  expect(PERMISSIONS.filter((permission) => !demanded.has(permission))).toEqual([])
})

test('a session without the required TOTP set-up can do nothing else', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  const pending = await server.given.user({ superuser: true, totpRequired: true })
  for (const endpoint of endpoints) {
    if (['public', 'any-session', 'totp-setup'].includes(endpoint.access)) continue
    const { status, error } = await visit(server.as(pending), endpoint, world)
    expect([nameOf(endpoint), status, error.code]).toEqual([nameOf(endpoint), 403, 'totp_required'])
  }
})

test('a session that must change its password can do nothing else', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  const fields = { must_change_password_since: '2020-01-01T00:00:00.000Z' }
  const pending = await server.given.user({ superuser: true, fields })
  for (const endpoint of endpoints) {
    if (['public', 'any-session', 'password-change'].includes(endpoint.access)) continue
    const { status, error } = await visit(server.as(pending), endpoint, world)
    const name = nameOf(endpoint)
    expect([name, status, error.code]).toEqual([name, 403, 'password_change_required'])
  }
})

test('each rule for limited roles names an existing endpoint, and none lets them write shared objects', () => {
  const byName = new Map(endpoints.map((endpoint) => [nameOf(endpoint), endpoint]))
  for (const [name, rule] of Object.entries(RULES)) {
    const endpoint = byName.get(name)
    expect(endpoint, name).toBeDefined()
    const isRead = endpoint?.method === 'GET' || READS.has(name)
    if (rule === 'shared' || rule === 'filters') expect([name, isRead]).toEqual([name, true])
  }
})

test.each(LIMITS)('a user with one %s reads nothing of another client', async (limit) => {
  await using server = await createTestServer()
  const { hidden, visible, newLimited } = await createScopes(server, limit)
  const root = server.as(await server.given.user({ superuser: true }))
  let seenByRoot = 0
  for (const endpoint of endpoints) {
    const name = nameOf(endpoint)
    if (endpoint.access === 'public') continue
    if (endpoint.method !== 'GET' && !READS.has(name)) continue
    const { status, text } = await visit(await newLimited(), endpoint, hidden)
    expect([name, text]).not.toEqual([name, expect.stringMatching(HIDDEN)])
    expect([name, status]).toEqual([name, statusFor(endpoint, limit)])
    if (HIDDEN.test((await visit(root, endpoint, hidden)).text)) seenByRoot += 1
  }
  const limited = await newLimited()
  const own = await limited.send({ method: 'GET', url: `/agents/${visible.agentId}/` })
  expect([own.status, own.text]).toEqual([200, expect.stringMatching(/Visible-pc/)])
  expect(seenByRoot, 'the walk looks where there is something to see').toBeGreaterThan(20)
})

test.each(LIMITS)(
  'a user with one %s changes nothing of another client and nothing shared',
  async (limit) => {
    await using server = await createTestServer()
    const { hidden, newLimited } = await createScopes(server, limit)
    const before = await readHidden(server, hidden)
    const shared = await readShared(server, hidden)
    for (const endpoint of endpoints) {
      const name = nameOf(endpoint)
      const rule = ruleFor(endpoint, limit)
      if (endpoint.access === 'public' || endpoint.method === 'GET' || READS.has(name)) continue
      const answer = await visit(await newLimited(), endpoint, hidden)
      const { status, text } = answer
      expect([name, text]).toEqual([name, expect.not.stringMatching(HIDDEN)])
      // The tests of session and password cover the effects.
      if (rule !== 'own') expect([name, status]).toEqual([name, statusFor(endpoint, limit)])
      if (rule === 'refused') expect([name, answer.error.code]).toEqual([name, 'not_allowed'])
      expect([name, await readHidden(server, hidden)]).toEqual([name, before])
      expect([name, await readShared(server, hidden)]).toEqual([name, shared])
    }
  },
)

test('nothing can be moved from a visible client to a hidden one, nor taken from it', async () => {
  await using server = await createTestServer()
  const hidden = await createWorld(server, 'Hidden')
  const visible = await createWorld(server, 'Visible')
  const limited = server.as(
    await server.given.user({ permissions: PERMISSIONS, clients: [visible.clientId] }),
  )
  const before = await readHidden(server, hidden)
  const target = { by: 'client', id: visible.clientId }
  const moves = [
    ['POST', '/jobs/plan/', { target, action: { type: 'move', site: hidden.siteId } }],
    ['PUT', `/agents/${visible.agentId}/`, { site: hidden.siteId }],
    ['PUT', `/clients/sites/${visible.siteId}/`, { site: { client: hidden.clientId } }],
    ['DELETE', `/clients/sites/${visible.siteId}/?move_to_site=${hidden.siteId}`, undefined],
    ['DELETE', `/clients/${visible.clientId}/?move_to_site=${hidden.siteId}`, undefined],
    [
      'POST',
      '/agents/installer/',
      { client: visible.clientId, site: hidden.siteId, agenttype: 'server', plat: 'linux' },
    ],
  ] as const
  for (const [method, url, body] of moves) {
    const answer = await limited.send({ method, url, ...json(body) })
    expect([url, answer.status >= 400 && answer.status < 500, answer.text]).toEqual([
      url,
      true,
      expect.not.stringMatching(/hidden/i),
    ])
    expect([url, await readHidden(server, hidden)]).toEqual([url, before])
  }
})

test('every change writes an audit row in the same form of sentence', async () => {
  await using server = await createTestServer()
  const seen = new Set<string>()
  const silent: string[] = []
  for (const endpoint of endpoints) {
    const world = await createWorld(server, nameOf(endpoint))
    await server.ctx.db.deleteFrom('audit_log').execute()
    // A separate user, because some endpoints end the session.
    const user = server.as(await server.given.user({ superuser: true }))
    const { status } = await visit(user, endpoint, world)
    const rows = await server.ctx.db.selectFrom('audit_log').select('message').execute()
    if (endpoint.method !== 'GET' && status < 300 && rows.length === 0) silent.push(nameOf(endpoint))
    for (const { message } of rows) {
      expect(message).toMatch(/^([A-Z][a-z]+ed|Failed to|Left|Ran|Reset|Sent|Set|Shut down) .*[^.]$/)
      seen.add(message)
    }
  }
  expect(seen.size, 'the walk does what is audited').toBeGreaterThan(20)
  expect(silent.toSorted()).toEqual(UNAUDITED.toSorted())
})

const HIDDEN = /elsewhere/i

/**
 * Two clients. New users have access to the first one only, or to its site only, with all permissions. So has a key of a
 * superuser, which its role and its client narrow.
 */
async function createScopes(server: TestServer, limit: Limit) {
  // The first client would end the first-time setup.
  await markSetupDone(server.ctx.db)
  const hidden = await createWorld(server, 'Elsewhere')
  const visible = await createWorld(server, 'Visible')
  const scope = limit === 'client' ? { clients: [visible.clientId] } : { sites: [visible.siteId] }
  // Some endpoints end the session, so each one has its own user.
  const newLimited = async () => {
    if (limit !== 'client by an API key')
      return server.as(await server.given.user({ permissions: PERMISSIONS, ...scope }))
    const owner = await server.given.user({ superuser: true })
    const narrowed = { permissions: PERMISSIONS, clients: [visible.clientId] }
    return server.withKey(await server.given.apiKey(owner, narrowed))
  }
  return { hidden, visible, newLimited }
}

/** Narrowed keys cannot add clients, and no key can do what needs a person. */
function ruleFor(endpoint: Endpoint, limit: Limit): Rule | undefined {
  const rule = RULES[nameOf(endpoint)]
  if (limit !== 'client by an API key') return rule
  return endpoint.needsPerson === true || nameOf(endpoint) === 'POST /clients/' ? 'refused' : rule
}

function statusFor(endpoint: Endpoint, limit: Limit): number {
  const rule = ruleFor(endpoint, limit)
  if (rule === undefined) return 404
  return rule === 'refused' ? 403 : 200
}

function visit(client: TestClient, endpoint: Endpoint, world: World) {
  return client.send({
    method: endpoint.method,
    url: addressIn(world, endpoint) + queryIn(endpoint),
    ...json(bodyIn(world, endpoint)),
  })
}

function json(body: unknown) {
  if (body === undefined) return {}
  return { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

function nameOf(endpoint: Endpoint): string {
  return `${endpoint.method} ${endpoint.path}`
}
