import type { Endpoint } from '@muster/contract/endpoint'
import { PERMISSIONS } from '@muster/contract/permissions'
import { SERVER_MACHINE_REASON } from '@muster/rules/agents/server-machine'
import { expect, test } from 'vitest'
import type { TestClient } from './testing/test-client.ts'
import { addressIn, bodyIn, queryIn } from './testing/test-calls.ts'
import { createTestServer, type TestServer } from './testing/test-server.ts'
import { createWorld, type World } from './testing/test-world.ts'

// Walks every endpoint that concerns a machine, with a role that may do everything and is no superuser.

/** Allowed on the machine of a server: reading its reports, and requests that do nothing there. */
const ALLOWED = new Set([
  'GET /agents/:agent_id/',
  'GET /agents/:agent_id/ping/',
  'GET /agents/:agent_id/checks/',
  'GET /agents/:agent_id/checks/dropped/',
  'GET /agents/:agent_id/tasks/',
  'GET /agents/:agent_id/notes/',
  'GET /agents/:agent_id/history/',
  'GET /agents/:agent_id/metrics/',
  'GET /agents/:agent_id/metrics/live/',
  'GET /agents/:agent_id/timeline/',
  'GET /agents/:agent_id/changes/',
  'GET /agents/:agent_id/pendingactions/',
  'GET /agents/:agent_id/approvals/',
  'GET /agents/:agent_id/terminals/',
  'GET /agents/:agent_id/remotesessions/',
  'GET /agents/:agent_id/remotesessions/open/',
  'GET /automation/agents/:agent_id/',
  'GET /software/:agent_id/',
  'GET /winupdate/:agent_id/',
  'GET /winupdate/:agent_id/policy/',
  'GET /winupdate/:agent_id/status/',
  // A note, an alert, and an address that the browser opens.
  'POST /agents/notes/',
  'POST /alerts/',
  'PATCH /core/urlaction/run/',
])

/** Endpoints that act on the machine of an object that they name. */
const BY_OBJECT = [
  'PUT /checks/:id/',
  'DELETE /checks/:id/',
  'POST /checks/:id/reset/',
  'PUT /tasks/:id/',
  'DELETE /tasks/:id/',
  'POST /tasks/:id/run/',
  'POST /agents/history/:id/cancel/',
  'DELETE /logs/pendingactions/:id/',
  'PUT /winupdate/:id/',
]

test.each(['a role with every permission', 'an API key of a superuser that is narrowed to them'])(
  '%s acts on other machines, and only looks at the machine of the server',
  async (who) => {
    await using server = await createTestServer()
    const endpoints = [...server.app.api.mounted]
    const own = await createWorld(server, 'Own')
    await markServerMachine(server, own)
    const isKey = who.startsWith('an API key')
    const client = async () => {
      if (!isKey) return server.as(await server.given.user({ permissions: PERMISSIONS }))
      const root = await server.given.user({ superuser: true })
      return server.withKey(await server.given.apiKey(root, { permissions: PERMISSIONS }))
    }
    const other = await createWorld(server, 'Other')
    const refused: string[] = []
    const expected: string[] = []
    for (const endpoint of endpoints) {
      if (!concernsMachine(own, endpoint) || (isKey && endpoint.needsPerson === true)) continue
      const name = nameOf(endpoint)
      if (!ALLOWED.has(name)) expected.push(name)
      const { status, text } = await visit(await client(), endpoint, own)
      if (status === 403 && text.includes(SERVER_MACHINE_REASON)) refused.push(name)
      const elsewhere = await visit(await client(), endpoint, other)
      expect([name, elsewhere.text]).toEqual([name, expect.not.stringContaining(SERVER_MACHINE_REASON)])
    }
    expect(refused.toSorted()).toEqual(expected.toSorted())
    expect(expected.length, 'the walk finds what acts').toBeGreaterThan(50)
  },
)

test('a superuser acts on the machine of the server, and one who may not see it does not learn of it', async () => {
  await using server = await createTestServer()
  const own = await createWorld(server, 'Own')
  await markServerMachine(server, own)
  const other = await createWorld(server, 'Other')
  const root = server.as(await server.given.user({ superuser: true }))
  const limited = server.as(await server.given.user({ permissions: PERMISSIONS, clients: [other.clientId] }))
  for (const endpoint of server.app.api.mounted) {
    if (!endpoint.path.startsWith('/agents/:agent_id/') || endpoint.method === 'DELETE') continue
    const hidden = await visit(limited, endpoint, own)
    expect([nameOf(endpoint), hidden.status]).toEqual([nameOf(endpoint), 404])
    const { text } = await visit(root, endpoint, own)
    expect([nameOf(endpoint), text]).toEqual([
      nameOf(endpoint),
      expect.not.stringContaining(SERVER_MACHINE_REASON),
    ])
  }
})

function markServerMachine({ ctx }: TestServer, { agentId }: World) {
  return ctx.db.updateTable('agents').set({ server_machine: 1 }).where('agent_id', '=', agentId).execute()
}

function concernsMachine(world: World, endpoint: Endpoint): boolean {
  if (endpoint.access === 'public') return false
  if (endpoint.path.includes(':agent_id') || BY_OBJECT.includes(nameOf(endpoint))) return true
  return JSON.stringify(bodyIn(world, endpoint) ?? '').includes(world.agentId)
}

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

function visit(client: TestClient, endpoint: Endpoint, world: World) {
  const body = bodyIn(world, endpoint)
  return client.send({
    method: endpoint.method,
    url: addressIn(world, endpoint) + queryIn(endpoint),
    ...(body !== undefined && {
      payload: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
}
