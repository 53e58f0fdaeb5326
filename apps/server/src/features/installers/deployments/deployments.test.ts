import { deleteUser, editUser } from '@muster/contract/api/accounts'
import { listAudit } from '@muster/contract/api/audit'
import { createDeployment, deleteDeployment, listDeployments } from '@muster/contract/api/deployments'
import { enrolAgent } from '@muster/contract/api/installers'
import type { Input } from '@muster/contract/endpoint'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { enrolBody } from '../../agents/test-agent.ts'

const run = promisify(execFile)

type Order = Partial<Input<typeof createDeployment>['body']>

const inDays = (server: TestServer, days: number) =>
  new Date(server.clock.now().getTime() + days * 86_400_000).toISOString()

async function orderDeployment(server: TestServer, order: Order) {
  const admin = server.as(await server.given.user({ superuser: true }))
  const site = await server.given.site()
  const answer = await admin.call(createDeployment, {
    body: { site: site.id, agenttype: 'workstation', expires: inDays(server, 30), ...order },
  })
  return { admin, site, answer }
}

async function givenDeployment(server: TestServer, order: Order = {}) {
  const { admin, site, answer } = await orderDeployment(server, order)
  const { body } = answer
  return {
    admin,
    site,
    body,
    download: () => server.app.fastify.inject({ url: `/clients/${body.uid}/deploy/` }),
  }
}

/** The token inside of a downloaded script. */
const tokenIn = (script: string) => /token ?= ?'([\w-]+)'/.exec(script)?.[1] ?? ''

test('a link is listed with its site, type, expiry and flags', async () => {
  await using server = await createTestServer()
  const { admin, site, body } = await givenDeployment(server, { rdp: true, ping: true })
  expect((await admin.call(listDeployments, { query: {} })).body).toEqual([body])
  expect(body).toMatchObject({
    site: site.id,
    client: site.client_id,
    mon_type: 'workstation',
    plat: 'windows',
    goarch: 'amd64',
    install_flags: { power: false, rdp: true, ping: true },
    uses_left: 1000,
  })
  expect(body.url).toMatch(new RegExp(`/clients/${body.uid}/deploy/$`))
  expect(body.cmd).toContain(`DownloadString('${body.url}')`)
})

test('the address needs no sign-in, and its script enrols machines at the site', async () => {
  await using server = await createTestServer()
  const { admin, download } = await givenDeployment(server, { rdp: true })
  const script = await download()
  expect([script.statusCode, script.headers['content-disposition']]).toEqual([
    200,
    'attachment; filename="install-muster-agent.ps1"',
  ])
  const body = enrolBody(tokenIn(script.body), { platform: 'windows' }).body
  expect((await server.anonymous.call(enrolAgent, { body })).status).toBe(200)
  const [left] = (await admin.call(listDeployments, { query: {} })).body
  expect(left?.uses_left).toBe(999)
})

test('a link for Linux is a shell line whose address is in no command line', async () => {
  await using server = await createTestServer()
  const { body, download } = await givenDeployment(server, { plat: 'linux' })
  expect(body.cmd).toMatch(/^echo 'url = "\S+"' \| sh -c '.* s=\$\(curl -sS -K -\);/)
  expect(body.cmd.split(body.uid)).toHaveLength(2)
  const script = await download()
  expect(script.headers['content-disposition']).toContain('install-muster-agent.sh')
  expect(script.body).toMatch(/^#!\/bin\/sh/)
})

test('the line of a link loads its script with curl', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const { body, download } = await givenDeployment(server, { plat: 'linux' })
  // The test client calls without a socket, so its address is not the one of machines.
  const line = body.cmd.replace(new URL(body.url).origin, url).replace('| sh "$@"', '| cat')
  const { stdout } = await run('sh', ['-c', line])
  expect(tokenIn(stdout)).toBe(tokenIn((await download()).body))
})

test('an expired or deleted link and its token stop working', async () => {
  await using server = await createTestServer()
  const { admin, body, download } = await givenDeployment(server)
  const token = tokenIn((await download()).body)
  const enrol = async () => {
    const request = enrolBody(token, { platform: 'windows' }).body
    return (await server.anonymous.call(enrolAgent, { body: request })).status
  }
  expect((await admin.call(deleteDeployment, { params: { id: body.id } })).status).toBe(200)
  const gone = await download()
  expect([gone.statusCode, gone.body]).toEqual([404, expect.stringContaining('expired or was deleted')])
  expect(await enrol()).toBe(403)
  expect((await admin.call(listDeployments, { query: {} })).body).toEqual([])

  const short = await givenDeployment(server, { expires: inDays(server, 1) })
  expect((await short.download()).statusCode).toBe(200)
  server.clock.advance(25 * 3600)
  expect((await short.download()).statusCode).toBe(404)
})

test('neither the address nor the token is in the log or readable in the database', async () => {
  await using server = await createTestServer()
  const { body, download } = await givenDeployment(server)
  const token = tokenIn((await download()).body)
  const stored = JSON.stringify([
    await server.ctx.db.selectFrom('deployments').selectAll().execute(),
    await server.ctx.db.selectFrom('enrol_tokens').selectAll().execute(),
    await server.ctx.db.selectFrom('audit_log').selectAll().execute(),
    server.logLines,
  ])
  expect(token).toHaveLength(43)
  expect(stored).not.toContain(token)
  expect(stored).not.toContain(body.uid)
})

test.each([
  [{ expires: '2020-01-01T00:00:00.000Z' }, 'expires'],
  [{ expires: '2999-01-01T00:00:00.000Z' }, 'expires'],
  [{ expires: 'tomorrow' }, 'expires'],
  [{ plat: 'linux', rdp: true }, 'rdp'],
  [{ goarch: '386' as never }, 'goarch'],
  [{ uses: 0 }, 'uses'],
] satisfies [Order, string][])('a link with %o is refused at its field', async (order, field) => {
  await using server = await createTestServer()
  const { status, error } = (await orderDeployment(server, order)).answer
  expect([status, Object.keys(error.fields ?? {})]).toEqual([400, [field]])
})

test('an expiry with an offset is the same instant', async () => {
  await using server = await createTestServer()
  server.clock.freeze('2026-11-25T08:00:00.000Z')
  const { body } = await givenDeployment(server, { expires: '2026-12-25T10:00:00+02:00' })
  expect(body.expiry).toBe('2026-12-25T08:00:00.000Z')
})

test('links of other clients are neither listed, created nor deleted', async () => {
  await using server = await createTestServer()
  const { admin, site, body } = await givenDeployment(server)
  const own = await server.given.site()
  const bob = server.as(
    await server.given.user({
      permissions: ['can_list_deployments', 'can_manage_deployments'],
      clients: [own.client_id],
    }),
  )
  const order = { agenttype: 'server' as const, expires: inDays(server, 1) }
  expect((await bob.call(listDeployments, { query: {} })).body).toEqual([])
  expect((await bob.call(createDeployment, { body: { ...order, site: site.id } })).status).toBe(404)
  expect((await bob.call(deleteDeployment, { params: { id: body.id } })).status).toBe(404)
  expect((await bob.call(createDeployment, { body: { ...order, site: own.id } })).status).toBe(200)
  expect((await admin.call(listDeployments, { query: {} })).body).toHaveLength(2)
})

test('links leave audit rows at their site', async () => {
  await using server = await createTestServer()
  const { admin, body } = await givenDeployment(server)
  await admin.call(deleteDeployment, { params: { id: body.id } })
  const { body: log } = await admin.call(listAudit, { body: { objectFilter: ['deployment'] } })
  expect(log.audit_logs.map(({ action, message, site }) => [action, message, site])).toEqual([
    [
      'delete',
      `Deleted a deployment of the site "${body.site_name}" of "${body.client_name}"`,
      body.site_name,
    ],
    ['add', `Created a deployment for the site "${body.site_name}" of "${body.client_name}"`, body.site_name],
  ])
})

test('the address of a link is shown to those who may manage deployments only', async () => {
  await using server = await createTestServer()
  const { body } = await givenDeployment(server)
  const reader = server.as(await server.given.user({ permissions: ['can_list_deployments'] }))
  const listed = await reader.call(listDeployments, { query: {} })
  expect(listed.text).not.toContain(body.uid)
  expect(listed.body).toEqual([{ ...body, uid: null, url: null, cmd: null }])
  const permissions = ['can_list_deployments', 'can_manage_deployments'] as const
  const manager = server.as(await server.given.user({ permissions }))
  expect((await manager.call(listDeployments, { query: {} })).body).toEqual([body])
})

test.each(['blocked', 'deleted'] as const)('the links of a user who is %s end', async (how) => {
  await using server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true }))
  const permissions = ['can_list_deployments', 'can_manage_deployments'] as const
  const site = await server.given.site()
  const eve = await server.given.user({ username: 'eve', permissions })
  const expires = inDays(server, 30)
  const order = { site: site.id, agenttype: 'server' as const, plat: 'linux' as const, expires }
  const link = (await server.as(eve).call(createDeployment, { body: order })).body
  const other = (await root.call(createDeployment, { body: order })).body
  const download = ({ uid }: { uid: string }) => server.app.fastify.inject({ url: `/clients/${uid}/deploy/` })
  const token = tokenIn((await download(link)).body)
  const { status } =
    how === 'blocked'
      ? await root.call(editUser, { params: { id: eve.id }, body: { is_active: false } })
      : await root.call(deleteUser, { params: { id: eve.id } })
  expect(status).toBe(200)
  expect([(await download(link)).statusCode, (await download(other)).statusCode]).toEqual([404, 200])
  const { body } = enrolBody(token, { platform: 'linux' })
  expect((await server.anonymous.call(enrolAgent, { body })).status).toBe(403)
  expect((await root.call(listDeployments, { query: {} })).body.map(({ id }) => id)).toEqual([other.id])
  const { body: log } = await root.call(listAudit, { body: { objectFilter: ['deployment'] } })
  expect(log.audit_logs[0]).toMatchObject({
    action: 'delete',
    site: site.name,
    message: `Deleted a deployment of the site "${site.name}" of "${link.client_name}", because the user "eve" was ${how}`,
  })
})
