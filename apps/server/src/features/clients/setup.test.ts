import { createClient, listClients } from '@muster/contract/api/clients'
import Fastify from 'fastify'
import { expect, test, vi } from 'vitest'
import type { UserOptions } from '../../testing/test-given.ts'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { isSetupOpen } from './finish-setup.ts'
import { AgentCache } from '../../fleet/agent-rows.ts'
import { agentRowSource } from '../agents/row-source.ts'
import { clientsRoutes, type ClientsOptions } from './routes.ts'

const PERMISSIONS = ['can_list_clients', 'can_manage_clients', 'can_install_agents'] as const

function setup(name: string, more: object = {}) {
  return { body: { client: { name }, site: { name: 'Main' }, initialsetup: true, ...more } }
}

async function readSettings(server: TestServer): Promise<Record<string, unknown>> {
  const rows = await server.ctx.db.selectFrom('settings').selectAll().execute()
  return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]))
}

test('the first-time setup adds the client, stores the company, and is closed for good', async () => {
  await using server = await createTestServer()
  const caller = server.as(await server.given.user({ permissions: PERMISSIONS }))
  expect(await isSetupOpen(server.ctx.db)).toBe(true)
  const first = await caller.call(createClient, setup('Acme', { companyname: ' Ada & Co' }))
  expect(first.status).toBe(200)
  expect(await isSetupOpen(server.ctx.db)).toBe(false)
  expect(await readSettings(server)).toMatchObject({
    setup_done: true,
    core_settings: expect.objectContaining({ companyname: 'Ada & Co' }),
  })
  await server.ctx.db.deleteFrom('sites').execute()
  await server.ctx.db.deleteFrom('clients').execute()
  expect((await caller.call(createClient, setup('Again'))).error).toMatchObject({ code: 'setup_closed' })
})

test('the first-time setup is closed once any client was added', async () => {
  await using server = await createTestServer()
  const caller = server.as(await server.given.user({ permissions: PERMISSIONS }))
  await caller.call(createClient, { body: { client: { name: 'Acme' }, site: { name: 'Main' } } })
  const { status, error } = await caller.call(createClient, setup('Other'))
  expect([status, error.code]).toEqual([403, 'setup_closed'])
})

test('one of several concurrent setups succeeds', async () => {
  await using server = await createTestServer()
  const caller = server.as(await server.given.user({ permissions: PERMISSIONS }))
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => caller.call(createClient, setup(name))),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403, 403])
  expect(await server.ctx.db.selectFrom('clients').selectAll().execute()).toHaveLength(1)
})

/** The routes with a replaced enrolment of the server machine. */
async function callWithMonitor(
  server: TestServer,
  { user, body }: { user: UserOptions; body: object },
  fail?: Error,
) {
  const caller = await server.given.user(user)
  const fastify = Fastify()
  const { findCaller } = await import('../users/sessions/find-caller.ts')
  const authenticate = () => findCaller(server.ctx, caller.sessionDigest, '127.0.0.1')
  const api = { ...server.app.api, fastify, authenticate, mounted: [] }
  using rows = new AgentCache(server.ctx, agentRowSource)
  const monitorServer = vi.fn<NonNullable<ClientsOptions['monitorServer']>>(async () => {
    if (fail !== undefined) throw fail
  })
  clientsRoutes(api, server.ctx, { rows, monitorServer })
  const { statusCode } = await fastify.inject({ method: 'POST', url: '/clients/', payload: body })
  return { statusCode, monitorServer }
}

const WITH_MONITOR = setup('Acme', { monitor_server: true }).body

test('a superuser adds the machine of the server in the first-time setup, and the audit row names the site', async () => {
  await using server = await createTestServer()
  const { statusCode, monitorServer } = await callWithMonitor(server, {
    user: { superuser: true },
    body: WITH_MONITOR,
  })
  expect(statusCode).toBe(200)
  const site = await server.ctx.db.selectFrom('sites').select('id').executeTakeFirstOrThrow()
  expect(monitorServer).toHaveBeenCalledWith({ siteId: site.id, username: expect.any(String) })
  const rows = await server.ctx.db.selectFrom('audit_log').selectAll().execute()
  expect(rows).toContainEqual(
    expect.objectContaining({
      action: 'agent_install',
      message: `Started enrolling the server's machine at site "Main" of client "Acme"`,
      client: 'Acme',
      site: 'Main',
      site_id: site.id,
    }),
  )
})

test("a failure to add the server's machine does not undo the client", async () => {
  await using server = await createTestServer()
  server.expectLog(/the machine of the server could not be added/)
  const call = { user: { superuser: true }, body: WITH_MONITOR }
  const { statusCode } = await callWithMonitor(server, call, new Error('no disk'))
  expect(statusCode).toBe(200)
  expect(await server.ctx.db.selectFrom('clients').selectAll().execute()).toHaveLength(1)
})

test('a user without superuser rights cannot enrol the server, not even in the first-time setup', async () => {
  await using server = await createTestServer()
  const user = server.as(await server.given.user({ permissions: [...PERMISSIONS, 'can_send_cmd'] }))
  expect((await user.call(createClient, { body: WITH_MONITOR })).error.code).toBe('not_allowed')
  expect(await isSetupOpen(server.ctx.db)).toBe(true)
  expect(await readSettings(server)).not.toHaveProperty('monitor_server')
  expect(await findEnrolTokens(server)).toEqual([])
})

test('a role limited to one client cannot enrol the server', async () => {
  await using server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true }))
  const own = await root.call(createClient, setup('Own'))
  const attacker = server.as(
    await server.given.user({
      permissions: [...PERMISSIONS, 'can_send_cmd', 'can_list_agents', 'can_list_sites'],
      clients: [own.body.id],
    }),
  )
  const body = { client: { name: 'mine' }, site: { name: 'mine' }, monitor_server: true }
  for (const initialsetup of [undefined, false, true]) {
    const refused = await attacker.call(createClient, { body: { ...body, initialsetup } })
    expect([refused.status, refused.error.code]).toEqual([403, 'not_allowed'])
  }
  expect(await findEnrolTokens(server)).toEqual([])
  expect(await readSettings(server)).not.toHaveProperty('monitor_server')
  expect((await root.call(listClients, { query: {} })).body.map(({ name }) => name)).toEqual(['Own'])
})

test('after the first-time setup nobody can enrol the server', async () => {
  await using server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true }))
  await root.call(createClient, setup('First'))
  const late = await root.call(createClient, setup('Late', { monitor_server: true, initialsetup: false }))
  expect([late.status, late.error.code]).toEqual([403, 'not_allowed'])
  const again = await root.call(createClient, setup('Again', { monitor_server: true }))
  expect([again.status, again.error.code]).toEqual([403, 'setup_closed'])
  expect(await findEnrolTokens(server)).toEqual([])
})

function findEnrolTokens({ ctx }: TestServer) {
  return ctx.db.selectFrom('enrol_tokens').selectAll().execute()
}
