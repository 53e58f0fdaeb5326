import { createPublicKey, verify } from 'node:crypto'
import { listAlertChannels, testAlertChannel } from '@muster/contract/api/alert-channels'
import { getPush, turnOffPush, turnOnPush } from '@muster/contract/api/push'
import { logout } from '@muster/contract/api/sessions'
import { expect, test } from 'vitest'
import type { UserOptions } from '../../../testing/test-given.ts'
import { createTestServer } from '../../../testing/test-server.ts'
import { createAlertBench, RESOLVED } from '../channels/test-alerts.ts'
import { trustTestCertificate } from '../channels/test-certificate.ts'
import { LOOPBACK_CHANNELS, openTestReceiver } from '../channels/test-receiver.ts'
import { openPushKeys } from './push-keys.ts'
import { openTestBrowser } from './test-browser.ts'

const READER = { permissions: ['can_list_alerts'] } as const

/** A server, and a push service whose certificate and address it accepts. */
async function prepare() {
  await using stack = new AsyncDisposableStack()
  stack.use(trustTestCertificate())
  const service = stack.use(await openTestReceiver({ tls: true }))
  const server = stack.use(await createTestServer({ env: LOOPBACK_CHANNELS }))
  server.clock.freeze('2026-11-27T12:00:00.000Z')
  const { ctx, given } = server
  const alerts = createAlertBench(ctx)
  const newBrowser = () => openTestBrowser(`${service.url}/${crypto.randomUUID()}`)
  const resources = stack.move()
  return {
    server,
    service,
    alerts,
    newBrowser,
    /** A signed-in user with a subscribed browser. */
    subscriber: async (options: UserOptions = {}) => {
      const user = await given.user({ ...READER, ...options })
      const client = server.as(user)
      const browser = newBrowser()
      expect((await client.call(turnOnPush, { body: browser.subscription })).status).toBe(200)
      return { user, client, browser, path: new URL(browser.subscription.endpoint).pathname }
    },
    /** Opens an alert and sends what is due. */
    open: async (fields: Parameters<typeof alerts.alert>[0] = {}) => {
      const alert = await alerts.alert(fields)
      await alerts.notify(alert, 'opened')
      await ctx.jobs.drain()
      return alert
    },
    pass: async (seconds: number) => {
      server.clock.advance(seconds)
      await ctx.jobs.drain()
    },
    paths: () => service.requests.map(({ path }) => path),
    countBrowsers: async () => (await ctx.db.selectFrom('push_subscriptions').select('id').execute()).length,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

test('an alert is pushed to a subscribed browser: its line and a path, encrypted and signed', async () => {
  await using bench = await prepare()
  const { server, service, alerts } = bench
  const { client, browser, path } = await bench.subscriber()
  const agent = await server.given.agent({ hostname: 'PC-12' })
  const alert = await bench.open({ agent_id: agent.agent_id, message: 'Disk C: is full' })
  const [request] = service.requests
  if (request === undefined) throw new Error('nothing was pushed')
  expect(request.path).toBe(path)
  expect(request.body).not.toContain('Disk')
  expect(browser.read(request.bytes)).toEqual({
    line: 'Error on PC-12: Disk C: is full',
    path: `/alerts?alert=${alert.id}`,
  })
  expect(request.headers).toMatchObject({ ttl: '86400', urgency: 'high', 'content-encoding': 'aes128gcm' })
  const { public_key } = (await client.call(getPush, {})).body
  const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(`${request.headers.authorization}`) ?? []
  expect(key).toBe(public_key)
  expect(isSignedBy(public_key, token)).toBe(true)
  await alerts.notify(alert, 'resolved', RESOLVED)
  await bench.pass(60)
  expect(service.requests.map(({ bytes }) => browser.read(bytes))).toMatchObject([
    {},
    { line: 'Resolved on PC-12: Disk C: is full' },
  ])
  expect(service.requests[1]?.headers.topic).toBe(request.headers.topic)
  expect(await alerts.log(alert)).toEqual([
    'notice_sent: Push notifications: Delivered to 1 browser.',
    'notice_sent: Push notifications: Delivered to 1 browser.',
  ])
})

/** Whether an ES256 token was signed with this raw P-256 key. */
function isSignedBy(publicKey: string, token: string): boolean {
  const [head, claims, signature = ''] = token.split('.')
  const raw = Buffer.from(publicKey, 'base64url')
  const part = (from: number) => raw.subarray(from, from + 32).toString('base64url')
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: part(1), y: part(33) }, format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
}

test('only users who may see an alert get it', async () => {
  await using bench = await prepare()
  const { given, ctx } = bench.server
  const [ours, theirs] = [await given.site(), await given.site()]
  const { path } = await bench.subscriber({ clients: [ours.client_id] })
  await bench.subscriber({ clients: [theirs.client_id] })
  const disabled = await bench.subscriber({ clients: [ours.client_id] })
  await ctx.db.updateTable('users').set({ is_active: 0 }).where('id', '=', disabled.user.id).execute()
  const demoted = await bench.subscriber({ clients: [ours.client_id] })
  await ctx.db.updateTable('roles').set({ permissions: '[]' }).where('id', '=', demoted.user.roleId).execute()
  const agent = await given.agent({ site_id: ours.id })
  await bench.open({ agent_id: agent.agent_id })
  expect(bench.paths()).toEqual([path])
})

test('alerts with the same readers are pushed as one line', async () => {
  await using bench = await prepare()
  const { browser } = await bench.subscriber()
  const opened = await Promise.all(Array.from({ length: 6 }, () => bench.alerts.alert()))
  for (const alert of opened) await bench.alerts.notify(alert, 'opened')
  await bench.pass(0)
  expect(bench.service.requests.map(({ bytes }) => browser.read(bytes))).toEqual([
    { line: '6 alerts: 6 errors', path: '/alerts' },
  ])
})

test.each([404, 410])('a browser that its push service answers with %i is deleted', async (status) => {
  await using bench = await prepare()
  await bench.subscriber()
  bench.service.answer = { status }
  const alert = await bench.open()
  expect(await bench.countBrowsers()).toBe(0)
  await bench.pass(60)
  expect(bench.service.requests).toHaveLength(1)
  expect(await bench.alerts.log(alert)).toEqual([
    'notice_failed: Push notifications: 1 browser no longer subscribed. Retrying for a day.',
    'notice_held: Push notifications: No subscribed browser may show this alert.',
  ])
  const admin = bench.server.as(await bench.server.given.user({ superuser: true }))
  const [channel] = (await admin.call(listAlertChannels, {})).body
  expect(channel?.health).toMatchObject({ failing_since: null, waiting: 0 })
})

test('a push service that fails is retried, and its response is not shown', async () => {
  await using bench = await prepare()
  await bench.subscriber()
  bench.service.answer = { status: 500, body: 'root:x:0:0' }
  const alert = await bench.open()
  bench.service.answer = {}
  await bench.pass(10)
  const host = new URL(bench.service.url).host
  expect(await bench.alerts.log(alert)).toEqual([
    `notice_failed: Push notifications: Not delivered to 1 browser: ${host} responded 500 Internal Server Error. Retrying for a day.`,
    'notice_sent: Push notifications: Delivered to 1 browser.',
  ])
})

test('the first subscription adds the channel, which administrators change like any other', async () => {
  await using bench = await prepare()
  const { client } = await bench.subscriber()
  await bench.subscriber()
  const admin = bench.server.as(await bench.server.given.user({ superuser: true }))
  const channels = (await admin.call(listAlertChannels, {})).body
  expect(channels.map(({ name, settings }) => [name, settings])).toEqual([
    ['Push notifications', { kind: 'push' }],
  ])
  expect((await client.call(getPush, {})).body.enabled).toBe(true)
  await bench.server.ctx.db
    .updateTable('alert_channels')
    .set({ rules: JSON.stringify({ ...channels[0]?.rules, enabled: false }) })
    .execute()
  expect((await client.call(getPush, {})).body.enabled).toBe(false)
  await bench.open()
  expect(bench.paths()).toEqual([])
})

test('a test message goes to the browsers of its sender', async () => {
  await using bench = await prepare()
  await bench.subscriber()
  const admin = await bench.subscriber({ superuser: true })
  const send = async (client = admin.client) =>
    (await client.call(testAlertChannel, { body: { settings: { kind: 'push' } } })).body
  expect(await send()).toMatchObject({ ok: true, answer: 'Delivered to 1 browser.' })
  expect(bench.paths()).toEqual([admin.path])
  const other = bench.server.as(await bench.server.given.user({ superuser: true }))
  expect(await send(other)).toMatchObject({
    ok: false,
    answer: 'You have no browser with notifications. Turn them on in the bell menu.',
  })
})

test('a subscription outlives its session, and ends with the sign-out, the account, or the switch', async () => {
  await using bench = await prepare()
  const expired = await bench.subscriber()
  await bench.pass(86_400)
  await bench.open()
  expect(bench.paths()).toEqual([expired.path])
  const signedOut = await bench.subscriber()
  await signedOut.client.call(logout, {})
  const switchedOff = await bench.subscriber()
  await switchedOff.client.call(turnOffPush, {})
  const deleted = await bench.subscriber()
  await bench.server.ctx.db.deleteFrom('users').where('id', '=', deleted.user.id).execute()
  await bench.pass(60)
  await bench.open()
  expect(bench.paths()).toEqual([expired.path, expired.path])
})

test('a browser belongs to the user who turned it on last, and a session to one browser', async () => {
  await using bench = await prepare()
  const first = await bench.subscriber()
  const second = bench.server.as(await bench.server.given.user(READER))
  await second.call(turnOnPush, { body: first.browser.subscription })
  const rows = await bench.server.ctx.db.selectFrom('push_subscriptions').select('user_id').execute()
  expect(rows).not.toEqual([{ user_id: first.user.id }])
  expect(rows).toHaveLength(1)
  await second.call(turnOnPush, { body: bench.newBrowser().subscription })
  expect(await bench.countBrowsers()).toBe(1)
})

test('a user keeps the last 20 browsers', async () => {
  await using bench = await prepare()
  const { user } = await bench.subscriber()
  for (let count = 0; count < 21; count++) {
    const client = bench.server.as(await bench.server.given.anotherSignIn(user))
    await client.call(turnOnPush, { body: bench.newBrowser().subscription })
  }
  expect(await bench.countBrowsers()).toBe(20)
})

test.each([
  'http://push.example.com/x',
  'ftp://push.example.com/x',
  'https://user@push.example.com/x',
  'https://localhost/x',
  'https://intranet/x',
  'https://127.0.0.1/x',
  'https://10.0.0.1:8443/x',
  'https://192.168.1.1/x',
  'https://169.254.169.254/latest',
  'https://[::1]/x',
  'https://[fd00::1]/x',
  'https://2130706433/x',
  'https:///x',
  'push',
])('the address %s is refused', async (endpoint) => {
  await using server = await createTestServer()
  const user = server.as(await server.given.user(READER))
  const { keys } = openTestBrowser(endpoint).subscription
  const answer = await user.call(turnOnPush, { body: { endpoint, keys } })
  expect([answer.status, answer.error.code]).toEqual([400, 'invalid'])
  expect(await server.ctx.db.selectFrom('push_subscriptions').selectAll().execute()).toEqual([])
})

test('nothing is sent to a name that leads to a private address', async () => {
  await using service = await openTestReceiver({ tls: true })
  await using server = await createTestServer()
  server.clock.freeze('2026-11-27T12:00:00.000Z')
  const user = server.as(await server.given.user(READER))
  const { subscription } = openTestBrowser('https://push.example.com/x')
  expect((await user.call(turnOnPush, { body: subscription })).status).toBe(200)
  const endpoint = service.url.replace('127.0.0.1', 'localhost')
  await server.ctx.db
    .updateTable('push_subscriptions')
    .set({ sealed: server.ctx.secrets.encrypt(JSON.stringify({ ...subscription, endpoint })) })
    .execute()
  const alerts = createAlertBench(server.ctx)
  const alert = await alerts.alert()
  await alerts.notify(alert, 'opened')
  await server.ctx.jobs.drain()
  expect(service.requests).toEqual([])
  expect(await alerts.log(alert)).toEqual([expect.stringMatching(/belongs to this server/)])
})

test('keys that no browser has are refused', async () => {
  await using server = await createTestServer()
  const user = server.as(await server.given.user(READER))
  const endpoint = 'https://push.example.com/x'
  const { keys } = openTestBrowser(endpoint).subscription
  const offCurve = Buffer.alloc(65, 4).toString('base64url')
  for (const wrong of [{ p256dh: offCurve }, { p256dh: 'AA' }, { auth: 'AA' }, { auth: '💥' }]) {
    const body = { endpoint, keys: { ...keys, ...wrong } }
    expect((await user.call(turnOnPush, { body })).error.code).toBe('invalid')
  }
})

test('the key pair is made at the first start, sealed, and stays', async () => {
  await using server = await createTestServer()
  const { ctx } = server
  const row = await ctx.db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', 'push_key')
    .executeTakeFirst()
  const keys = await openPushKeys(ctx)
  expect(row?.value).not.toContain(keys.privateKey)
  expect(row?.value).not.toContain(keys.publicKey)
  expect(await openPushKeys(ctx)).toEqual(keys)
  expect(Buffer.from(keys.publicKey, 'base64url')).toHaveLength(65)
  expect(Buffer.from(keys.privateKey, 'base64url')).toHaveLength(32)
})
