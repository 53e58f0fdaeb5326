import { listAlerts } from '@muster/contract/api/alerts'
import { createInstaller, listAgents } from '@muster/contract/api/agents'
import { enrolAgent } from '@muster/contract/api/installers'
import { listAudit } from '@muster/contract/api/audit'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { createEnrolToken } from './enrol-machine.ts'
import { enrolBody, TestAgent } from '../agents/test-agent.ts'

async function makeInstaller(server: TestServer, uses = 100) {
  const ada = await server.given.user({ superuser: true })
  const site = await server.given.site()
  const { body } = await server.as(ada).call(createInstaller, {
    body: { client: site.client_id, site: site.id, agenttype: 'workstation', plat: 'linux', uses },
  })
  return { ada, site, installer: body }
}

test("a machine enrols with a token and is listed at the token's site", async () => {
  await using server = await createTestServer()
  const { ada, site, installer } = await makeInstaller(server)
  const { status, body } = await server.anonymous.call(enrolAgent, { body: enrolBody(installer.token).body })
  expect(status).toBe(200)
  expect(body.agent_id).toMatch(/^[A-Za-z0-9]{40}$/)
  const { body: agents } = await server.as(ada).call(listAgents, { query: {} })
  expect(agents).toMatchObject([
    {
      agent_id: body.agent_id,
      hostname: 'PC-12',
      site_id: site.id,
      monitoring_type: 'workstation',
      status: 'offline',
    },
  ])
})

test('enrolment tokens count their uses', async () => {
  await using server = await createTestServer()
  const { installer } = await makeInstaller(server, 1)
  expect((await server.anonymous.call(enrolAgent, { body: enrolBody(installer.token).body })).status).toBe(
    200,
  )
  const second = await server.anonymous.call(enrolAgent, { body: enrolBody(installer.token).body })
  expect(second).toMatchObject({ status: 403, error: { code: 'enrolment_refused' } })
})

test('enrolment tokens expire', async () => {
  await using server = await createTestServer()
  const { installer } = await makeInstaller(server)
  server.clock.advance(25 * 3600)
  const late = await server.anonymous.call(enrolAgent, { body: enrolBody(installer.token).body })
  expect(late).toMatchObject({ status: 403, error: { code: 'enrolment_refused' } })
})

test('a machine that cannot prove its key is refused', async () => {
  await using server = await createTestServer()
  const { installer } = await makeInstaller(server)
  const mine = enrolBody(installer.token).body
  const stolen = { ...mine, public_key: enrolBody(installer.token).body.public_key }
  expect((await server.anonymous.call(enrolAgent, { body: stolen })).status).toBe(403)
  const bent = { ...mine, machine_key: '0'.repeat(64) }
  expect((await server.anonymous.call(enrolAgent, { body: bent })).status).toBe(403)
})

test('reinstalling on the same machine reuses its row, with an audit row and without a duplicate', async () => {
  await using server = await createTestServer()
  const { ada, installer } = await makeInstaller(server)
  const machineKey = 'a'.repeat(64)
  const first = await server.anonymous.call(enrolAgent, {
    body: enrolBody(installer.token, { machineKey }).body,
  })
  const again = enrolBody(installer.token, { machineKey, hostname: 'PC-12-NEW' }).body
  const second = await server.anonymous.call(enrolAgent, { body: again })
  expect(second.body).toMatchObject({ agent_id: first.body.agent_id, reattached: true })
  const { body: agents } = await server.as(ada).call(listAgents, { query: {} })
  expect(agents).toHaveLength(1)
  expect(agents).toMatchObject([{ hostname: 'PC-12-NEW' }])
  const { body: log } = await server.as(ada).call(listAudit, { body: { actionFilter: ['agent_install'] } })
  expect(log.total).toBe(2)
})

test('a machine that returns with another key raises one alert until it is resolved', async () => {
  await using server = await createTestServer()
  const { ada, installer } = await makeInstaller(server)
  const machineKey = 'a'.repeat(64)
  const enrol = async () =>
    (await server.anonymous.call(enrolAgent, { body: enrolBody(installer.token, { machineKey }).body }))
      .status
  const alerts = async () => {
    const { body } = await server.as(ada).call(listAlerts, { body: { top: 10 } })
    return 'alerts' in body ? body.alerts : []
  }
  expect(await enrol()).toBe(200)
  expect(await alerts()).toEqual([])
  expect([await enrol(), await enrol()]).toEqual([200, 200])
  expect(await alerts()).toMatchObject([
    {
      alert_type: 'custom',
      hostname: 'PC-12',
      severity: 'warning',
      message: expect.stringMatching(/^PC-12 enrolled again from 127\.0\.0\.1 with a new key/),
    },
  ])
})

test('the same key returns without an alert, at any site of its client', async () => {
  await using server = await createTestServer()
  const { site, installer } = await makeInstaller(server)
  const sibling = await server.given.site({ client_id: site.client_id })
  const machineKey = 'a'.repeat(64)
  const first = enrolBody(installer.token, { machineKey })
  expect((await server.anonymous.call(enrolAgent, { body: first.body })).status).toBe(200)
  const order = {
    siteId: sibling.id,
    monitoringType: 'server',
    plat: null,
    uses: 9,
    createdBy: 'test',
  } as const
  const token = await createEnrolToken(server.ctx.db, {
    ...order,
    expiresAt: new Date(server.clock.now().getTime() + 60_000).toISOString(),
    now: server.clock.now(),
  })
  const same = enrolBody(token, { machineKey, key: first.key }).body
  expect((await server.anonymous.call(enrolAgent, { body: same })).body).toMatchObject({ reattached: true })
  expect(await server.ctx.db.selectFrom('alerts').selectAll().execute()).toEqual([])
  const other = await server.anonymous.call(enrolAgent, { body: enrolBody(token, { machineKey }).body })
  expect([other.status, other.error.detail]).toEqual([403, expect.stringContaining('another site')])
})

test('a token of one client cannot take over a machine of another, nor a connected one', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const { installer } = await makeInstaller(server)
  const other = await server.given.site()
  using agent = await TestAgent.enrol(server, url, other.id, { machineKey: 'b'.repeat(64) })
  const foreign = enrolBody(installer.token, { machineKey: 'b'.repeat(64) }).body
  expect((await server.anonymous.call(enrolAgent, { body: foreign })).status).toBe(403)
  await agent.comeOnline()
  await expect(TestAgent.enrol(server, url, other.id, { machineKey: 'b'.repeat(64) })).rejects.toThrow(
    'stop its agent',
  )
})

test('the installer contains address and token, and refuses an unknown token with a sentence', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const { installer } = await makeInstaller(server)
  const good = await fetch(`${url}/agent/install.sh`, {
    headers: { authorization: `Enrol ${installer.token}` },
  })
  const script = await good.text()
  expect(script).toContain(`url='${url}'`)
  expect(script).toContain(`token='${installer.token}'`)
  const bad = await fetch(`${url}/agent/install.sh`, {
    headers: { authorization: `Enrol ${'x'.repeat(43)}` },
  })
  expect(bad.status).toBe(403)
  expect(await bad.text()).toMatch(/^muster: the enrolment token is unknown, used up, .*\n$/)
})

test('no command line of the installation contains the token', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const { installer } = await makeInstaller(server)
  const folder = await mkdtemp(join(tmpdir(), 'muster-curl-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(
    join(folder, 'curl'),
    '#!/bin/sh\necho "$@" >"$0.args"; cat >"$0.input"; echo "# muster: end"\n',
    { mode: 0o755 },
  )
  // Pasted into the shell, so the line itself is not on a command line.
  execFileSync('sh', { input: installer.cmd, env: { PATH: `${folder}:${process.env['PATH']}` } })
  const input = await readFile(join(folder, 'curl.input'), 'utf8')
  expect(input).toBe(`header = "Authorization: Enrol ${installer.token}"\n`)
  const args = await readFile(join(folder, 'curl.args'), 'utf8')
  expect(args).toMatch(/^-sS -K - http\S+\/agent\/install\.sh\n$/)
  const script = await fetch(`${url}/agent/install.sh`, {
    headers: { authorization: `Enrol ${installer.token}` },
  })
  expect(await script.text()).not.toContain('--token')
})

test('a hostile data folder stays one shell word in the installer line', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user({ superuser: true })
  const site = await server.given.site()
  const { body } = await server.as(ada).call(createInstaller, {
    body: {
      client: site.client_id,
      site: site.id,
      agenttype: 'server',
      plat: 'linux',
      data_folder: `/tmp/x'; rm -rf /`,
    },
  })
  expect(body.cmd).toContain(String.raw`'/tmp/x'\''; rm -rf /'`)
})

test('an installer is created only for a visible site', async () => {
  await using server = await createTestServer()
  const mine = await server.given.site()
  const other = await server.given.site()
  const bob = await server.given.user({ permissions: ['can_install_agents'], clients: [mine.client_id] })
  const order = { agenttype: 'server' as const, plat: 'linux' as const }
  const refused = await server
    .as(bob)
    .call(createInstaller, { body: { ...order, client: other.client_id, site: other.id } })
  expect(refused.status).toBe(404)
  const made = await server
    .as(bob)
    .call(createInstaller, { body: { ...order, client: mine.client_id, site: mine.id } })
  expect(made.status).toBe(200)
})
