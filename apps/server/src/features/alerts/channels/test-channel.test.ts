import {
  type ChannelSettings,
  createAlertChannel,
  MASKED_SECRET,
  testAlertChannel,
} from '@muster/contract/api/alert-channels'
import type { Input } from '@muster/contract/endpoint'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { judge } from './senders/web-request.ts'
import { shownReply } from './senders/email.ts'
import { trustTestCertificate } from './test-certificate.ts'
import { LOOPBACK_CHANNELS, openTestReceiver } from './test-receiver.ts'
import { emailTo, openTestSmtp } from './test-smtp.ts'

type Body = Input<typeof testAlertChannel>['body']

async function asAdmin(server: TestServer) {
  const permissions = ['can_view_core_settings', 'can_edit_core_settings'] as const
  const client = server.as(await server.given.user({ permissions }))
  return {
    client,
    tryOut: async (settings: Body['settings'], id?: number) =>
      (await client.call(testAlertChannel, { body: { settings, ...(id === undefined ? {} : { id }) } })).body,
  }
}

test('a test of a webhook on a private address shows only the status', async () => {
  await using server = await createTestServer({ env: LOOPBACK_CHANNELS })
  await using receiver = await openTestReceiver()
  const { tryOut } = await asAdmin(server)
  const webhook = { kind: 'webhook', url: receiver.url, secret: 'signing-secret' } as const
  expect(await tryOut(webhook)).toMatchObject({ ok: true, answer: '200 OK', took_ms: expect.any(Number) })
  expect(receiver.requests[0]).toMatchObject({
    method: 'POST',
    path: '/hook',
    body: expect.stringContaining('This is a test'),
  })
  expect(receiver.requests[0]?.headers['muster-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
  receiver.answer = { status: 403, body: `you sent signing-secret ${'y'.repeat(2000)}` }
  const refused = await tryOut(webhook)
  expect(refused.ok).toBe(false)
  expect(refused.answer).toBe('403 Forbidden')
  receiver.answer = { status: 302, headers: { location: 'http://169.254.169.254/' } }
  expect(await tryOut(webhook)).toMatchObject({
    ok: false,
    answer: '302 redirect, not followed',
  })
  expect(receiver.requests).toHaveLength(3)
})

test('channels cannot reach the server itself and its surroundings by default', async () => {
  await using server = await createTestServer()
  await using receiver = await openTestReceiver()
  await using smtp = await openTestSmtp()
  const { tryOut } = await asAdmin(server)
  const port = new URL(receiver.url).port
  const refused = { ok: false, answer: expect.stringMatching(/MUSTER_CHANNEL_TARGETS does not allow it/) }
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::1]', '[::ffff:127.0.0.1]'])
    expect(await tryOut({ kind: 'webhook', url: `http://${host}:${port}/hook` }), host).toMatchObject(refused)
  expect(await tryOut({ kind: 'slack', url: 'https://169.254.169.254/latest' })).toMatchObject(refused)
  expect(await tryOut(emailTo(smtp.port))).toMatchObject(refused)
  const byToken: Body['settings'] = {
    ...emailTo(smtp.port),
    smtp_auth: 'oauth2',
    smtp_host_user: 'ada',
    oauth2_token_url: receiver.url,
    oauth2_client_id: 'id',
    oauth2_refresh_token: 'refresh',
  }
  expect(await tryOut(byToken)).toMatchObject(refused)
  expect([receiver.requests, smtp.mails]).toEqual([[], []])
})

test('the response of a public address is shown in part, of others only the status', () => {
  const answer = { statusCode: 403, statusMessage: 'Forbidden', headers: {} }
  expect(judge(answer, 'no such hook', true).answer).toBe('403 Forbidden: no such hook')
  expect(judge(answer, 'no such hook', false).answer).toBe('403 Forbidden')
  expect(judge({ ...answer, statusMessage: 'root:x:0:0' }, '', false).answer).toBe('403 Forbidden')
  expect(shownReply('535 5.7.8 Wrong password', true)).toBe('535 5.7.8 Wrong password')
  expect(shownReply('535 5.7.8 Wrong password', false)).toBe('535 5.7.8')
  expect(shownReply('SSH-2.0-OpenSSH_9', false)).toBe('The response is not from a mail server.')
})

test('a failed connection is described in words', async () => {
  await using server = await createTestServer({ env: LOOPBACK_CHANNELS })
  await using tls = await openTestReceiver({ tls: true })
  await using plain = await openTestReceiver()
  await using gone = await openTestReceiver()
  await gone[Symbol.asyncDispose]()
  const { tryOut } = await asAdmin(server)
  const slack = (url: string) => tryOut({ kind: 'slack', url })
  expect((await slack('https://no-such-host.invalid/x')).answer).toMatch(
    /host no-such-host\.invalid does not exist/,
  )
  expect((await slack(gone.url)).answer).toMatch(/refused the connection: nothing listens there/)
  expect((await slack(tls.url)).answer).toMatch(/self-signed certificate/)
  expect((await slack(plain.url.replace('http:', 'https:'))).answer).toMatch(/does not speak TLS/)
  using _trusted = trustTestCertificate()
  expect(await slack(tls.url)).toMatchObject({ ok: true, answer: '200 OK' })
  expect((await slack(tls.url.replace('127.0.0.1', 'localhost.'))).ok).toBe(true)
  const otherName = await slack(tls.url.replace('127.0.0.1', '[::ffff:127.0.0.1]'))
  expect(otherName.answer).toMatch(/certificate for another name/)
})

test('a silent receiver is given up after eight seconds', async () => {
  await using server = await createTestServer({ env: LOOPBACK_CHANNELS })
  await using receiver = await openTestReceiver()
  receiver.answer = { hang: true }
  const { tryOut } = await asAdmin(server)
  const result = await tryOut({ kind: 'slack', url: receiver.url })
  expect(result).toMatchObject({ ok: false, answer: expect.stringMatching(/did not respond in time/) })
  expect(result.took_ms).toBeGreaterThan(7500)
  expect(result.took_ms).toBeLessThan(9500)
})

test('a test of a mail server on a private address shows the codes of its reply', async () => {
  await using server = await createTestServer({ env: LOOPBACK_CHANNELS })
  await using smtp = await openTestSmtp()
  const { tryOut } = await asAdmin(server)
  expect(await tryOut(emailTo(smtp.port))).toMatchObject({
    ok: true,
    answer: '250 2.0.0',
  })
  smtp.refuse.sender = '550 5.7.1 Not from you'
  expect((await tryOut(emailTo(smtp.port))).answer).toMatch(/^550 5\.7\.1 \(to MAIL FROM\)/)
})

test('a stored channel is tested with its secrets, at its own address only', async () => {
  await using server = await createTestServer({ env: LOOPBACK_CHANNELS })
  await using receiver = await openTestReceiver()
  await using other = await openTestReceiver()
  const { client, tryOut } = await asAdmin(server)
  const settings: ChannelSettings = { kind: 'ntfy', url: receiver.url, token: 'tk_secret' }
  const { body: channel } = await client.call(createAlertChannel, {
    body: { name: 'n', settings, rules: {} },
  })
  expect((await tryOut(channel.settings, channel.id)).ok).toBe(true)
  expect(receiver.requests[0]?.headers.authorization).toBe('Bearer tk_secret')
  const moved = { body: { id: channel.id, settings: { ...settings, url: other.url, token: MASKED_SECRET } } }
  expect((await client.call(testAlertChannel, moved)).status).toBe(400)
  expect(other.requests).toEqual([])
  expect((await client.call(testAlertChannel, { body: { id: 999, settings } })).status).toBe(404)
})

test('sms and pagerduty: every request, and an incident that is resolved at once', async () => {
  await using server = await createTestServer({ env: LOOPBACK_CHANNELS })
  await using receiver = await openTestReceiver()
  const { tryOut } = await asAdmin(server)
  receiver.answer = { status: 202 }
  expect((await tryOut({ kind: 'pagerduty', routing_key: 'r', url: receiver.url })).ok).toBe(true)
  const events = receiver.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
  expect(events.map(({ event_action }) => event_action)).toEqual(['trigger', 'resolve'])
  expect(events[0]?.['dedup_key']).toBe(events[1]?.['dedup_key'])
  receiver.requests.length = 0
  const sms = {
    kind: 'sms',
    twilio_account_sid: 'AC1',
    twilio_auth_token: 'token-1',
    twilio_number: '+15550001111',
    recipients: ['+41790000001', '+41790000002'],
    api_url: new URL(receiver.url).origin,
  } as const
  expect((await tryOut({ ...sms, recipients: [...sms.recipients] })).ok).toBe(true)
  expect(receiver.requests.map(({ path }) => path)).toEqual(
    Array(2).fill('/2010-04-01/Accounts/AC1/Messages.json'),
  )
})
