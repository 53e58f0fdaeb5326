import { createAlertChannel, testAlertChannel } from '@muster/contract/api/alert-channels'
import { createUser, editUser } from '@muster/contract/api/accounts'
import { getFirstSteps } from '@muster/contract/api/first-steps'
import { createPolicy, planPolicy } from '@muster/contract/api/policies'
import { EVENTS } from '@muster/contract/events'
import { RECOMMENDED_POLICIES } from '@muster/contract/policies/recommended-policies'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { LOOPBACK_CHANNELS, openTestReceiver } from '../alerts/channels/test-receiver.ts'

async function prepare() {
  const server = await createTestServer({ env: LOOPBACK_CHANNELS })
  const root = server.as(await server.given.user({ superuser: true }))
  const read = async (client: ReturnType<TestServer['as']> = root) =>
    (await client.call(getFirstSteps, {})).body
  return { server, root, read, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('each step is done by the fact that it asks for', async () => {
  await using fixture = await prepare()
  const { server, root, read } = fixture
  const open = { machine: false, policy: false, channel: false, user: false }
  expect(await read()).toEqual(open)

  const site = await server.given.site()
  await server.given.agent({ site_id: site.id, monitoring_type: 'server' })
  expect((await read()).machine).toBe(false)
  await server.given.agent({ site_id: site.id })
  expect(await read()).toEqual({ ...open, machine: true })

  const policy = RECOMMENDED_POLICIES.server
  const { body: plan } = await root.call(planPolicy, { body: { policy } })
  expect(plan).toMatchObject({ agents_count: 1 })
  await root.call(createPolicy, { body: { ...policy, targets: [] } })
  expect((await read()).policy, 'not assigned').toBe(false)
  const { status } = await root.call(createPolicy, { body: { ...RECOMMENDED_POLICIES.workstation } })
  expect([status, (await read()).policy]).toEqual([200, true])

  const { body: colleague } = await root.call(createUser, {
    body: { username: 'eve', password: 'battery of staples' },
  })
  expect((await read()).user).toBe(true)
  await root.call(editUser, { params: { id: colleague.id }, body: { is_active: false } })
  expect((await read()).user, 'blocked').toBe(false)
})

test('a channel counts once a test message has arrived, and the consoles learn of it', async () => {
  await using fixture = await prepare()
  const { server, root, read } = fixture
  await using receiver = await openTestReceiver()
  const settings = { kind: 'webhook', url: receiver.url } as const
  await root.call(createAlertChannel, { body: { name: 'Tickets', settings, rules: {} } })
  receiver.answer = { status: 500, body: 'broken' }
  await root.call(testAlertChannel, { body: { settings } })
  expect((await read()).channel).toBe(false)
  receiver.answer = { status: 200, body: '' }
  const events: string[] = []
  server.ctx.onEvent(({ type }) => void events.push(type))
  await root.call(testAlertChannel, { body: { settings } })
  expect((await read()).channel).toBe(true)
  expect(events).toContain('alert_channel.changed')
  expect(EVENTS['alert_channel.changed'].stale).toContainEqual({ endpoint: 'GET /core/first-steps/' })
})

test('a tested channel that was not saved does not count', async () => {
  await using fixture = await prepare()
  await using receiver = await openTestReceiver()
  await fixture.root.call(testAlertChannel, { body: { settings: { kind: 'webhook', url: receiver.url } } })
  expect((await fixture.read()).channel).toBe(false)
})

test('a role sees the steps that it may take, and counts machines that it sees', async () => {
  await using fixture = await prepare()
  const { server, read } = fixture
  const nobody = server.as(await server.given.user())
  expect(await read(nobody)).toEqual({ machine: null, policy: null, channel: null, user: null })
  const site = await server.given.site()
  await server.given.agent()
  await server.given.agent({ site_id: site.id })
  const permissions = ['can_list_agents', 'can_install_agents'] as const
  const limited = server.as(await server.given.user({ permissions, clients: [site.client_id] }))
  expect(await read(limited)).toEqual({ machine: false, policy: null, channel: null, user: null })
  await server.given.agent({ site_id: site.id })
  expect((await read(limited)).machine).toBe(true)
  expect((await server.anonymous.call(getFirstSteps, {})).status).toBe(401)
})
