import type { Endpoint } from '@muster/contract/endpoint'
import { PERMISSIONS } from '@muster/contract/permissions'
import { beforeAll, expect, test } from 'vitest'
import { markSetupDone } from './features/clients/finish-setup.ts'
import type { TestClient } from './testing/test-client.ts'
import { createTestServer, type TestServer } from './testing/test-server.ts'
import { addressIn, bodyIn, queryIn } from './testing/test-calls.ts'
import { createWorld, type World } from './testing/test-world.ts'

// Walks every endpoint of the API, whoever adds one: product.md section 3 point 8.

/**
 * What a role limited to one client may do when an endpoint is asked about another client. An endpoint without a line
 * hides the other client: it answers 404, as if there were none, and changes nothing.
 */
type Rule =
  /** Answers a list of what is in scope. */
  | 'filters'
  /** Reads what clients share, which names no client. Reading only. */
  | 'shared'
  /** Refused with 403: writes what clients share, or is for superusers. */
  | 'refused'
  /** Concerns the caller alone: the own session, password and preferences. */
  | 'own'
  /** Adds something that belongs to the caller's scope. */
  | 'adds'
  /** Acts on everything in scope, without naming anything. */
  | 'acts'

const RULES: Readonly<Record<string, Rule>> = {
  'GET /agents/': 'filters',
  'GET /clients/': 'filters',
  'GET /clients/sites/': 'filters',
  'GET /agents/notes/': 'filters',
  'GET /checks/': 'filters',
  'GET /tasks/': 'filters',
  'GET /maintenance/': 'filters',
  'GET /maintenance/open/': 'filters',
  'GET /software/': 'filters',
  'GET /software/titles/:title/': 'filters',
  'GET /automation/policies/': 'filters',
  'GET /automation/policies/overview/': 'filters',
  'GET /alerts/channels/': 'filters',
  'GET /logs/pendingactions/': 'filters',
  'PATCH /logs/audit/': 'filters',
  'PATCH /alerts/': 'filters',

  'POST /agents/availability/bulk/': 'acts',

  'POST /clients/': 'adds',
  // Of a user without a role, who may do nothing.
  'POST /accounts/users/': 'adds',

  'GET /alerts/templates/': 'shared',
  'GET /alerts/templates/:id/': 'shared',
  'GET /alerts/templates/:id/related/': 'shared',
  'GET /scripts/': 'shared',
  'GET /scripts/:id/': 'shared',
  'GET /scripts/:id/download/': 'shared',
  'GET /scripts/:id/approval/': 'shared',
  'GET /scripts/:id/versions/': 'shared',
  'GET /scripts/:id/versions/:version_id/': 'shared',
  'GET /scripts/snippets/': 'shared',
  'GET /scripts/snippets/:id/': 'shared',
  'GET /core/keystore/': 'shared',
  'GET /core/customfields/': 'shared',
  'PATCH /core/customfields/': 'shared',
  'GET /core/customfields/:id/': 'shared',
  'GET /core/settings/': 'shared',
  'GET /core/dashinfo/': 'shared',
  'GET /core/version/': 'shared',
  'GET /accounts/users/': 'shared',
  'GET /accounts/:id/users/': 'shared',
  'GET /accounts/users/:id/sessions/': 'shared',
  'GET /accounts/roles/': 'shared',
  'GET /accounts/roles/:id/': 'shared',

  'POST /alerts/templates/': 'refused',
  'PUT /alerts/templates/default/': 'refused',
  'PUT /alerts/templates/:id/': 'refused',
  'DELETE /alerts/templates/:id/': 'refused',
  'POST /scripts/': 'refused',
  'PUT /scripts/:id/': 'refused',
  'DELETE /scripts/:id/': 'refused',
  'POST /scripts/:id/versions/:version_id/restore/': 'refused',
  'POST /scripts/:id/approval/': 'refused',
  'POST /scripts/snippets/': 'refused',
  'PUT /scripts/snippets/:id/': 'refused',
  'DELETE /scripts/snippets/:id/': 'refused',
  'POST /core/serverscript/test/': 'refused',
  'POST /core/openai/generate/': 'refused',
  'POST /core/keystore/': 'refused',
  'PUT /core/keystore/:id/': 'refused',
  'DELETE /core/keystore/:id/': 'refused',
  'POST /core/customfields/': 'refused',
  'PUT /core/customfields/:id/': 'refused',
  'DELETE /core/customfields/:id/': 'refused',
  'PUT /core/settings/': 'refused',
  'GET /core/webterm/sessions/': 'refused',
  'POST /core/webtermperms/': 'refused',
  'POST /accounts/roles/': 'refused',
  'PUT /accounts/roles/:id/': 'refused',
  'DELETE /accounts/roles/:id/': 'refused',
  // Of a user whose role allows what the caller's does not: to see the other client.
  'PUT /accounts/:id/users/': 'refused',
  'DELETE /accounts/:id/users/': 'refused',
  'POST /accounts/users/reset/': 'refused',
  'PUT /accounts/users/reset_totp/': 'refused',
  'DELETE /accounts/users/:id/sessions/': 'refused',
  'DELETE /accounts/sessions/:digest/': 'refused',

  'POST /logout/': 'own',
  'POST /logoutall/': 'own',
  'POST /accounts/users/setup_totp/': 'own',
  'POST /accounts/users/confirm_totp/': 'own',
  'POST /accounts/sessions/confirm/': 'own',
  'PUT /accounts/resetpw/': 'own',
  'PUT /accounts/reset2fa/': 'own',
  'GET /accounts/sessions/': 'own',
  'GET /accounts/users/me/': 'own',
  'PATCH /accounts/users/ui/': 'own',
  'POST /core/socket-ticket/': 'own',
}

/** Reads whose filters are a body. */
const READS = new Set([
  'PATCH /logs/audit/',
  'PATCH /alerts/',
  'PATCH /checks/:id/history/',
  'PATCH /core/customfields/',
])

/** What succeeds in this walk without a row of the audit log. */
const UNAUDITED = [
  // Lists whose filters are a body, and what a change would come to.
  ...READS,
  'POST /automation/plan/',
  'POST /automation/places/:level/:id/plan/',
  // No machine of this walk is overdue.
  'POST /agents/availability/bulk/',
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

test('each permission of a role is demanded by an endpoint', () => {
  const demanded = new Set<string>(endpoints.map(({ access }) => access))
  expect(PERMISSIONS.filter((permission) => !demanded.has(permission))).toEqual([])
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

test('each rule for limited roles is about an endpoint that exists, and none lets them write what clients share', () => {
  const byName = new Map(endpoints.map((endpoint) => [nameOf(endpoint), endpoint]))
  for (const [name, rule] of Object.entries(RULES)) {
    const endpoint = byName.get(name)
    expect(endpoint, name).toBeDefined()
    const isRead = endpoint?.method === 'GET' || READS.has(name)
    if (rule === 'shared' || rule === 'filters') expect([name, isRead]).toEqual([name, true])
  }
})

test.each(['client', 'site'] as const)(
  'a user who sees one %s reads nothing of another client',
  async (level) => {
    await using server = await createTestServer()
    const { hidden, visible, newLimited } = await createScopes(server, level)
    const root = server.as(await server.given.user({ superuser: true }))
    let seenByRoot = 0
    for (const endpoint of endpoints) {
      const name = nameOf(endpoint)
      if (endpoint.access === 'public') continue
      if (endpoint.method !== 'GET' && !READS.has(name)) continue
      const { status, text } = await visit(await newLimited(), endpoint, hidden)
      expect([name, text]).not.toEqual([name, expect.stringMatching(HIDDEN)])
      expect([name, status]).toEqual([name, statusFor(RULES[name])])
      if (HIDDEN.test((await visit(root, endpoint, hidden)).text)) seenByRoot += 1
    }
    const limited = await newLimited()
    const own = await limited.send({ method: 'GET', url: `/agents/${visible.agentId}/` })
    expect([own.status, own.text]).toEqual([200, expect.stringMatching(/Visible-pc/)])
    expect(seenByRoot, 'the walk looks where there is something to see').toBeGreaterThan(20)
  },
)

test.each(['client', 'site'] as const)(
  'a user who sees one %s changes nothing of another client and nothing that clients share',
  async (level) => {
    await using server = await createTestServer()
    const { hidden, newLimited } = await createScopes(server, level)
    const before = await readHidden(server, hidden)
    const shared = await readShared(server, hidden)
    for (const endpoint of endpoints) {
      const name = nameOf(endpoint)
      const rule = RULES[name]
      if (endpoint.access === 'public' || endpoint.method === 'GET' || READS.has(name)) continue
      const answer = await visit(await newLimited(), endpoint, hidden)
      const { status, text } = answer
      expect([name, text]).toEqual([name, expect.not.stringMatching(HIDDEN)])
      // What happens to the caller's own session and password is for the tests of these.
      if (rule !== 'own') expect([name, status]).toEqual([name, statusFor(rule)])
      if (rule === 'refused') expect([name, answer.error.code]).toEqual([name, 'not_allowed'])
      expect([name, await readHidden(server, hidden)]).toEqual([name, before])
      expect([name, await readShared(server, hidden)]).toEqual([name, shared])
    }
  },
)

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

const HIDDEN = /elsewhere/i

/** Two clients, of which new users see the one alone, or its site alone, and may do everything there. */
async function createScopes(server: TestServer, level: 'client' | 'site') {
  // The first client that is added ends the first-time setup.
  await markSetupDone(server.ctx.db)
  const hidden = await createWorld(server, 'Elsewhere')
  const visible = await createWorld(server, 'Visible')
  const scope = level === 'client' ? { clients: [visible.clientId] } : { sites: [visible.siteId] }
  // Some endpoints end the session, so each of them has a user of its own.
  const newLimited = async () => server.as(await server.given.user({ permissions: PERMISSIONS, ...scope }))
  return { hidden, visible, newLimited }
}

function statusFor(rule: Rule | undefined): number {
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

function isPermission({ access }: Endpoint): boolean {
  return !['public', 'totp-setup', 'signed-in'].includes(access)
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
  const channels = await db
    .selectFrom('alert_channels')
    .selectAll()
    .where('id', '=', hidden.channelId)
    .execute()
  const policies = await db.selectFrom('policies').selectAll().where('id', '=', hidden.policyId).execute()
  const targets = await db
    .selectFrom('policy_targets')
    .selectAll()
    .where('policy_id', '=', hidden.policyId)
    .execute()
  return {
    agents,
    inSite,
    notes,
    runs,
    alerts,
    checks,
    results,
    clients,
    sites,
    tokens,
    channels,
    policies,
    targets,
  }
}

/** Every row that clients share, and the user of the hidden client, whose rights exceed those of limited callers. */
async function readShared({ ctx: { db } }: TestServer, { user }: World): Promise<unknown> {
  return {
    settings: await db
      .selectFrom('settings')
      .selectAll()
      // Rows that jobs lock are no settings.
      .where('name', 'not like', '%.lock')
      .orderBy('name')
      .execute(),
    keys: await db.selectFrom('key_store').selectAll().orderBy('id').execute(),
    fields: await db.selectFrom('custom_fields').selectAll().orderBy('id').execute(),
    scripts: await db.selectFrom('scripts').selectAll().orderBy('id').execute(),
    snippets: await db.selectFrom('script_snippets').selectAll().orderBy('id').execute(),
    templates: await db.selectFrom('alert_templates').selectAll().orderBy('id').execute(),
    users: await db.selectFrom('users').selectAll().where('id', '=', user.id).execute(),
    roles: await db
      .selectFrom('roles')
      .selectAll()
      .where('id', '=', user.roleId ?? 0)
      .execute(),
    sessions: await db.selectFrom('sessions').select('digest').where('user_id', '=', user.id).execute(),
  }
}
