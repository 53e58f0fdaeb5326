import type { Endpoint } from '@muster/contract/endpoint'
import { PERMISSIONS } from '@muster/contract/permissions'
import { beforeAll, expect, test } from 'vitest'
import { markSetupDone } from './features/clients/finish-setup.ts'
import type { TestClient } from './testing/test-client.ts'
import { createTestServer, type TestServer } from './testing/test-server.ts'
import { addressIn, bodyIn, queryIn } from './testing/test-calls.ts'
import { createWorld, type World } from './testing/test-world.ts'

// Walks every endpoint of the API, so that new ones are covered automatically.

/**
 * What a role limited to one client may do when an endpoint refers to another client. By default an endpoint hides the
 * other client: it responds 404 and changes nothing.
 */
type Rule =
  /** Returns a list limited to the scope. */
  | 'filters'
  /** Reads shared objects without a client. Read-only. */
  | 'shared'
  /** Refused with 403: writes shared objects, or requires a superuser. */
  | 'refused'
  /** Affects only the caller: session, password and preferences. */
  | 'own'
  /** Adds an object within the caller's scope. */
  | 'adds'
  /** Acts on everything in scope, without naming an object. */
  | 'acts'

const RULES: Readonly<Record<string, Rule>> = {
  'GET /agents/': 'filters',
  'GET /agents/versions/': 'filters',
  'GET /clients/': 'filters',
  'GET /clients/sites/': 'filters',
  'GET /clients/deployments/': 'filters',
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
  // A package is the same for every client.
  'POST /agents/packages/': 'acts',

  'POST /clients/': 'adds',
  // A user without a role has no rights.
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
  'GET /agents/updates/': 'shared',
  'GET /core/dashinfo/': 'shared',
  'GET /core/version/': 'shared',
  'GET /agents/packages/': 'shared',
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
  'POST /agents/updates/resume/': 'refused',
  'GET /core/webterm/sessions/': 'refused',
  'POST /core/webtermperms/': 'refused',
  'POST /accounts/roles/': 'refused',
  'PUT /accounts/roles/:id/': 'refused',
  'DELETE /accounts/roles/:id/': 'refused',
  // A user whose role has a right that the caller lacks: access to the other client.
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

/** Reads with filters in the body. */
const READS = new Set([
  'PATCH /logs/audit/',
  'PATCH /alerts/',
  'PATCH /checks/:id/history/',
  'PATCH /core/customfields/',
])

/** Calls that succeed in this walk without an audit row. */
const UNAUDITED = [
  // Lists with filters in the body, and previews.
  ...READS,
  'POST /automation/plan/',
  'POST /automation/places/:level/:id/plan/',
  // No machine of this walk is overdue.
  'POST /agents/availability/bulk/',
  // Builds a file that everyone who installs agents may download.
  'POST /agents/packages/',
  // Already has the requested value.
  'PUT /alerts/templates/default/',
  'PUT /automation/places/:level/:id/',
  // Personal preferences, a key that counts only after confirmation, and the ticket of the live socket.
  'PATCH /accounts/users/ui/',
  'POST /accounts/users/setup_totp/',
  'POST /core/socket-ticket/',
  // Returns the receiver's response to the caller.
  'POST /alerts/channels/test/',
]

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

test('every endpoint with a permission refuses a user without permissions', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  const nobody = await server.given.user()
  for (const endpoint of endpoints) {
    if (!isPermission(endpoint)) continue
    const { status, error } = await visit(server.as(nobody), endpoint, world)
    expect([nameOf(endpoint), status, error.code]).toEqual([nameOf(endpoint), 403, 'not_allowed'])
  }
})

test('a user who lacks one permission is refused exactly that', async () => {
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

test('each permission is required by an endpoint', () => {
  const demanded = new Set<string>(endpoints.map(({ access }) => access))
  expect(PERMISSIONS.filter((permission) => !demanded.has(permission))).toEqual([])
})

test('a session without the required TOTP set-up can do nothing else', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  const pending = await server.given.user({ superuser: true, totpRequired: true })
  for (const endpoint of endpoints) {
    if (endpoint.access === 'public' || endpoint.access === 'totp-setup') continue
    const { status, error } = await visit(server.as(pending), endpoint, world)
    expect([nameOf(endpoint), status, error.code]).toEqual([nameOf(endpoint), 403, 'totp_required'])
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

test.each(['client', 'site'] as const)(
  'a user with one %s reads nothing of another client',
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
  'a user with one %s changes nothing of another client and nothing shared',
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
      // The tests of session and password cover the effects.
      if (rule !== 'own') expect([name, status]).toEqual([name, statusFor(rule)])
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

/** Two clients. New users have access to the first one only, or to its site only, with all permissions. */
async function createScopes(server: TestServer, level: 'client' | 'site') {
  // The first client would end the first-time setup.
  await markSetupDone(server.ctx.db)
  const hidden = await createWorld(server, 'Elsewhere')
  const visible = await createWorld(server, 'Visible')
  const scope = level === 'client' ? { clients: [visible.clientId] } : { sites: [visible.siteId] }
  // Some endpoints end the session, so each one has its own user.
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

/** Every row of the hidden client, to detect changes. */
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

/** Every shared row, and the user of the hidden client, whose rights exceed those of limited callers. */
async function readShared({ ctx: { db } }: TestServer, { user }: World): Promise<unknown> {
  return {
    settings: await db
      .selectFrom('settings')
      .selectAll()
      // Lock rows of jobs are not settings.
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
