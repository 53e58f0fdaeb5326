import { createClient } from '@muster/contract/api/clients'
import Fastify from 'fastify'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../test-server.ts'
import { isSetupOpen } from './finish-setup.ts'
import { AgentRows } from '../agents/agent-rows.ts'
import { clientsRoutes, type ClientsOptions } from './routes.ts'

const PERMISSIONS = ['can_list_clients', 'can_manage_clients', 'can_install_agents'] as const

function setup(name: string, more: object = {}) {
  return { body: { client: { name }, site: { name: 'Main' }, initialsetup: true, ...more } }
}

async function readSettings(server: TestServer): Promise<Record<string, unknown>> {
  const rows = await server.ctx.db.selectFrom('settings').selectAll().execute()
  return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]))
}

test('the first-time setup makes the client, keeps time zone and company, and is closed for good', async () => {
  await using server = await createTestServer()
  const caller = server.as(await server.given.user({ permissions: PERMISSIONS }))
  expect(await isSetupOpen(server.ctx.db)).toBe(true)
  const first = await caller.call(
    createClient,
    setup('Acme', { timezone: 'Europe/Berlin', companyname: 'Ada & Co' }),
  )
  expect(first.status).toBe(200)
  expect(await isSetupOpen(server.ctx.db)).toBe(false)
  expect(await readSettings(server)).toMatchObject({
    setup_done: true,
    default_time_zone: 'Europe/Berlin',
    companyname: 'Ada & Co',
  })
  await server.ctx.db.deleteFrom('sites').execute()
  await server.ctx.db.deleteFrom('clients').execute()
  expect((await caller.call(createClient, setup('Again'))).error).toMatchObject({ code: 'setup_closed' })
})

test('the first-time setup is closed once any client was made', async () => {
  await using server = await createTestServer()
  const caller = server.as(await server.given.user({ permissions: PERMISSIONS }))
  await caller.call(createClient, { body: { client: { name: 'Acme' }, site: { name: 'Main' } } })
  const { status, error } = await caller.call(createClient, setup('Other'))
  expect([status, error.code]).toEqual([403, 'setup_closed'])
})

test('one of several setups at once succeeds', async () => {
  await using server = await createTestServer()
  const caller = server.as(await server.given.user({ permissions: PERMISSIONS }))
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => caller.call(createClient, setup(name))),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403, 403])
  expect(await server.ctx.db.selectFrom('clients').selectAll().execute()).toHaveLength(1)
})

test('an unknown time zone is refused at its field and leaves the setup open', async () => {
  await using server = await createTestServer()
  const caller = server.as(await server.given.user({ permissions: PERMISSIONS }))
  const { error } = await caller.call(createClient, setup('Acme', { timezone: 'Mars/Olympus' }))
  expect(error).toMatchObject({ code: 'invalid', fields: { timezone: [expect.any(String)] } })
  expect(await isSetupOpen(server.ctx.db)).toBe(true)
})

/** The routes again, with what becomes of the server's own machine under the test's control. */
async function callWithMonitor(
  server: TestServer,
  monitorServer: ClientsOptions['monitorServer'],
  permissions: readonly (typeof PERMISSIONS)[number][],
) {
  const user = await server.given.user({ permissions })
  const fastify = Fastify()
  const { findCaller } = await import('../sessions/find-caller.ts')
  const authenticate = () => findCaller(server.ctx, user.sessionDigest, '127.0.0.1')
  const api = { ...server.app.api, fastify, authenticate, mounted: [] }
  using rows = new AgentRows(server.ctx)
  clientsRoutes(api, server.ctx, { rows, ...(monitorServer === undefined ? {} : { monitorServer }) })
  const payload = setup('Acme', { monitor_server: true }).body
  return await fastify.inject({ method: 'POST', url: '/clients/', payload })
}

test('the machine of the server is added when asked for, and a failure of that does not undo the client', async () => {
  await using server = await createTestServer()
  server.expectLog(/the machine of the server could not be added/)
  const monitorServer = vi.fn<NonNullable<ClientsOptions['monitorServer']>>(() =>
    Promise.reject(new Error('no disk')),
  )
  const answer = await callWithMonitor(server, monitorServer, PERMISSIONS)
  expect(answer.statusCode).toBe(200)
  const site = await server.ctx.db.selectFrom('sites').select('id').executeTakeFirstOrThrow()
  expect(monitorServer).toHaveBeenCalledWith({ siteId: site.id, username: expect.any(String) })
})

test('who may not install agents cannot add the machine of the server', async () => {
  await using server = await createTestServer()
  const monitorServer = vi.fn<NonNullable<ClientsOptions['monitorServer']>>()
  await callWithMonitor(server, monitorServer, ['can_list_clients', 'can_manage_clients'])
  expect(monitorServer).not.toHaveBeenCalled()
  expect(await isSetupOpen(server.ctx.db)).toBe(true)
})
