import type { Endpoint } from '@muster/contract/endpoint'
import { PERMISSIONS } from '@muster/contract/permissions'
import { beforeAll, expect, test } from 'vitest'
import type { TestClient } from './test-client.ts'
import { createTestServer, type TestServer } from './test-server.ts'
import { addressIn, bodyIn, queryIn } from './test-calls.ts'
import { createWorld, type World } from './test-world.ts'

// Walks every endpoint of the API, whoever adds one: product.md section 3 point 8.

/** Endpoints about things that belong to no client. All others are asked about a client that is out of scope. */
const UNSCOPED = [
  '/alerts/channels/',
  '/alerts/templates/',
  '/scripts/',
  '/accounts/',
  '/core/',
  '/health/',
  '/v2/',
  '/logout',
  '/agent/enrol',
]
/** These name no single thing: they answer what is in scope. */
const LISTS = new Set([
  'GET /agents/',
  'GET /clients/',
  'GET /clients/sites/',
  'GET /agents/notes/',
  'GET /checks/',
  'GET /tasks/',
  'GET /maintenance/',
  'GET /software/',
  'GET /software/titles/:title/',
  'GET /automation/policies/',
  'GET /automation/policies/overview/',
  'GET /logs/pendingactions/',
  'PATCH /logs/audit/',
  'PATCH /alerts/',
])
/** Lists whose filters are a body. */
const READS = new Set(['PATCH /logs/audit/', 'PATCH /alerts/', 'PATCH /checks/:id/history/'])
/** What a role limited to one client may add; it becomes part of that scope. */
const ADDS = new Set(['POST /clients/'])

/** What succeeds in this walk without a row of the audit log. */
const UNAUDITED = [
  // Lists whose filters are a body, and what a change would come to.
  ...READS,
  'PATCH /core/customfields/',
  'POST /automation/plan/',
  'POST /automation/places/:level/:id/plan/',
  // Already as it is asked for here.
  'PUT /alerts/templates/default/',
  'PUT /automation/places/:level/:id/',
  // How the console looks to oneself; a key that counts once a code has confirmed it; the way to the live socket.
  'PATCH /accounts/users/ui/',
  'POST /accounts/users/setup_totp/',
  'POST /core/socket-ticket/',
  // Tells whoever asks what the channel answers.
  'POST /alerts/channels/test/',
]

let endpoints: readonly Endpoint[] = []
beforeAll(async () => {
  await using server = await createTestServer()
  endpoints = [...server.app.api.mounted]
})

test('nobody who is not signed in gets past an endpoint that is not public', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  for (const endpoint of endpoints) {
    const { status } = await visit(server.anonymous, endpoint, world)
    if (endpoint.access === 'public') expect([nameOf(endpoint), status]).not.toEqual([nameOf(endpoint), 401])
    else expect([nameOf(endpoint), status]).toEqual([nameOf(endpoint), 401])
  }
})

test('a user who may do nothing is refused by every endpoint that names a permission', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  const nobody = await server.given.user()
  for (const endpoint of endpoints) {
    if (!isPermission(endpoint)) continue
    const { status, error } = await visit(server.as(nobody), endpoint, world)
    expect([nameOf(endpoint), status, error.code]).toEqual([nameOf(endpoint), 403, 'not_allowed'])
  }
})

test('a user who may do all but one thing is refused exactly that', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  for (const endpoint of endpoints) {
    if (!isPermission(endpoint)) continue
    const permissions = PERMISSIONS.filter((permission) => permission !== endpoint.access)
    const user = await server.given.user({ permissions })
    expect([nameOf(endpoint), (await visit(server.as(user), endpoint, world)).status]).toEqual([
      nameOf(endpoint),
      403,
    ])
  }
})

test('a session that still has to set up TOTP can do nothing else', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  const pending = await server.given.user({ superuser: true, totpRequired: true })
  for (const endpoint of endpoints) {
    if (endpoint.access === 'public' || endpoint.access === 'totp-setup') continue
    const { status, error } = await visit(server.as(pending), endpoint, world)
    expect([nameOf(endpoint), status, error.code]).toEqual([nameOf(endpoint), 403, 'totp_required'])
  }
})

test('a user who sees one client reads nothing of another', async () => {
  await using server = await createTestServer()
  const hidden = await createWorld(server, 'Hidden')
  const visible = await createWorld(server, 'Visible')
  const root = server.as(await server.given.user({ superuser: true }))
  let seenByRoot = 0
  for (const scope of [{ clients: [visible.clientId] }, { sites: [visible.siteId] }]) {
    const limited = server.as(await server.given.user({ permissions: PERMISSIONS, ...scope }))
    for (const endpoint of endpoints) {
      if (endpoint.method !== 'GET' && !READS.has(nameOf(endpoint))) continue
      if (isUnscoped(endpoint)) continue
      const answer = await visit(limited, endpoint, hidden)
      expect([nameOf(endpoint), answer.text]).not.toEqual([
        nameOf(endpoint),
        expect.stringMatching(/hidden/i),
      ])
      expect([nameOf(endpoint), answer.status]).toEqual([
        nameOf(endpoint),
        LISTS.has(nameOf(endpoint)) ? 200 : 404,
      ])
      if (/hidden/i.test((await visit(root, endpoint, hidden)).text)) seenByRoot += 1
    }
    const own = await limited.send({ method: 'GET', url: `/agents/${visible.agentId}/` })
    expect([own.status, own.text]).toEqual([200, expect.stringMatching(/Visible-pc/)])
  }
  expect(seenByRoot, 'the walk looks where there is something to see').toBeGreaterThan(20)
})

test('a user who sees one client changes nothing of another', async () => {
  await using server = await createTestServer()
  const hidden = await createWorld(server, 'Hidden')
  const visible = await createWorld(server, 'Visible')
  const limited = server.as(
    await server.given.user({ permissions: PERMISSIONS, clients: [visible.clientId] }),
  )
  const before = await readHidden(server, hidden)
  for (const endpoint of endpoints) {
    const name = nameOf(endpoint)
    if (endpoint.method === 'GET' || isUnscoped(endpoint) || LISTS.has(name) || ADDS.has(name)) continue
    const { status, text } = await visit(limited, endpoint, hidden)
    expect([name, status, text]).toEqual([name, 404, expect.not.stringMatching(/hidden/i)])
    expect([name, await readHidden(server, hidden)]).toEqual([name, before])
  }
})

test('nothing of a visible client can be moved to a hidden one, nor taken from it', async () => {
  await using server = await createTestServer()
  const hidden = await createWorld(server, 'Hidden')
  const visible = await createWorld(server, 'Visible')
  const limited = server.as(
    await server.given.user({ permissions: PERMISSIONS, clients: [visible.clientId] }),
  )
  const before = await readHidden(server, hidden)
  const moves = [
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

test('product 3.10, whatever is done, the audit log says it, in the same kind of sentence', async () => {
  await using server = await createTestServer()
  const seen = new Set<string>()
  const silent: string[] = []
  for (const endpoint of endpoints) {
    const world = await createWorld(server, nameOf(endpoint))
    await server.ctx.db.deleteFrom('audit_log').execute()
    // Of its own: some endpoints end the session.
    const user = server.as(await server.given.user({ superuser: true }))
    const { status } = await visit(user, endpoint, world)
    const rows = await server.ctx.db.selectFrom('audit_log').select('message').execute()
    if (endpoint.method !== 'GET' && status < 300 && rows.length === 0) silent.push(nameOf(endpoint))
    for (const { message } of rows) {
      expect(message).toMatch(
        /^([A-Z][a-z]+ed|Made|Ran|Sent|Kept|Reset|Set up|The [a-z]+ on ".+" ended) .*[^.]$/,
      )
      seen.add(message)
    }
  }
  expect(seen.size, 'the walk does what is audited').toBeGreaterThan(20)
  expect(silent.toSorted()).toEqual(UNAUDITED.toSorted())
})

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

function isPermission({ access }: Endpoint): boolean {
  return !['public', 'totp-setup', 'signed-in'].includes(access)
}

function isUnscoped({ path }: Endpoint): boolean {
  return UNSCOPED.some((start) => path.startsWith(start))
}

/** Every row of the hidden client, to see whether anything about it has changed. */
async function readHidden({ ctx: { db } }: TestServer, hidden: World): Promise<unknown> {
  const agents = await db.selectFrom('agents').selectAll().where('agent_id', '=', hidden.agentId).execute()
  const inSite = await db
    .selectFrom('agents')
    .select('agent_id')
    .where('site_id', '=', hidden.siteId)
    .execute()
  const notes = await db
    .selectFrom('agent_notes')
    .selectAll()
    .where('agent_id', '=', hidden.agentId)
    .execute()
  const runs = await db
    .selectFrom('agent_history')
    .selectAll()
    .where('agent_id', '=', hidden.agentId)
    .execute()
  const alerts = await db.selectFrom('alerts').selectAll().where('agent_id', '=', hidden.agentId).execute()
  const checks = await db.selectFrom('checks').selectAll().where('agent_id', '=', hidden.agentId).execute()
  const results = await db
    .selectFrom('check_results')
    .selectAll()
    .where('check_id', '=', hidden.checkId)
    .execute()
  const clients = await db.selectFrom('clients').selectAll().where('id', '=', hidden.clientId).execute()
  const sites = await db.selectFrom('sites').selectAll().where('client_id', '=', hidden.clientId).execute()
  const tokens = await db
    .selectFrom('enrol_tokens')
    .selectAll()
    .where('site_id', '=', hidden.siteId)
    .execute()
  return { agents, inSite, notes, runs, alerts, checks, results, clients, sites, tokens }
}
