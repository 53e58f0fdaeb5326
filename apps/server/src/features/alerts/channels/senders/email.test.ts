import { expect, test } from 'vitest'
import { textOf } from '../message.ts'
import { trustTestCertificate } from '../test-certificate.ts'
import { testMessage, testNews } from '../test-message.ts'
import { openTestReceiver } from '../test-receiver.ts'
import { emailTo, openTestSmtp } from '../test-smtp.ts'
import { type EmailSettings, sendEmail } from './email.ts'

const settingsOf = (port: number, change: Partial<EmailSettings> = {}) =>
  emailTo(port, { recipients: ['ops@example.com', 'boss@example.com'], ...change })

test('one mail goes to all recipients, with text, HTML and a stable id', async () => {
  await using smtp = await openTestSmtp()
  expect(await sendEmail(settingsOf(smtp.port), testMessage(), 'any')).toEqual({
    ok: true,
    answer: '250 2.0.0',
  })
  const [mail] = smtp.mails
  expect(mail).toMatchObject({
    from: 'muster@example.com',
    to: ['ops@example.com', 'boss@example.com'],
    secure: false,
  })
  expect(Object.fromEntries(mail?.headers ?? [])).toMatchObject({
    subject: 'Error on PC-12: Disk C: has 3 % left',
    from: 'Muster <muster@example.com>',
    'message-id': '<d-1@example.com>',
    'x-muster-delivery': 'd-1',
    'auto-submitted': 'auto-generated',
  })
  expect(mail?.raw).toContain('text/plain')
  expect(mail?.raw).toContain('text/html')
  expect(mail?.raw).toContain(textOf(testMessage()).split('\n')[2])
})

test('texts of machines add neither headers nor markup', async () => {
  await using smtp = await openTestSmtp()
  const message = testMessage(
    testNews({
      hostname: '<img src=x onerror=alert(1)>\r\nX-Evil: 1',
      message: 'a\r\nBcc: evil@example.com\r\n\r\n<script>"&\'',
    }),
  )
  const settings = settingsOf(smtp.port, { smtp_from_name: 'A" <x@evil.example>\r\nX-Evil: 2' })
  expect(await sendEmail(settings, message, 'any')).toMatchObject({ ok: true })
  const [mail] = smtp.mails
  expect(mail?.to).toEqual(['ops@example.com', 'boss@example.com'])
  expect([...(mail?.headers.keys() ?? [])].sort()).toEqual([
    'auto-submitted',
    'content-type',
    'date',
    'from',
    'message-id',
    'mime-version',
    'subject',
    'to',
    'x-muster-delivery',
  ])
  const html = mail?.raw.slice(mail.raw.indexOf('text/html')) ?? ''
  expect(html).toContain('&lt;script&gt;')
  expect(html).not.toMatch(/<script|<img/)
})

test('later mails about an alert refer to the first one', async () => {
  await using smtp = await openTestSmtp()
  await sendEmail(settingsOf(smtp.port), testMessage(testNews({}, 'resolved')), 'any')
  expect(smtp.mails[0]?.headers.get('references')).toBe('<muster-home-7@example.com>')
})

test('STARTTLS and TLS verify the certificate', async () => {
  await using starttls = await openTestSmtp({ security: 'starttls', password: 'p' })
  await using tls = await openTestSmtp({ security: 'tls' })
  const user = { smtp_auth: 'password', smtp_host_user: 'me', smtp_host_password: 'p' } as const
  const first = settingsOf(starttls.port, { smtp_security: 'starttls', ...user })
  const second = settingsOf(tls.port, { smtp_security: 'tls' })
  for (const settings of [first, second]) {
    const { ok, answer } = await sendEmail(settings, testMessage(), 'any')
    expect([ok, answer]).toEqual([false, expect.stringMatching(/self-signed certificate/)])
  }
  using _trusted = trustTestCertificate()
  expect(await sendEmail(first, testMessage(), 'any')).toMatchObject({ ok: true })
  expect(await sendEmail(second, testMessage(), 'any')).toMatchObject({ ok: true })
  expect(starttls.mails).toMatchObject([{ secure: true, user: 'me' }])
  expect(tls.mails).toMatchObject([{ secure: true }])
})

test('a mail with STARTTLS is never sent unencrypted', async () => {
  await using smtp = await openTestSmtp()
  const outcome = await sendEmail(settingsOf(smtp.port, { smtp_security: 'starttls' }), testMessage(), 'any')
  expect(outcome).toEqual({ ok: false, answer: expect.stringMatching(/no STARTTLS|STARTTLS/) })
  expect(smtp.mails).toEqual([])
})

test('nor without the chosen sign-in', async () => {
  await using smtp = await openTestSmtp()
  const settings = settingsOf(smtp.port, {
    smtp_auth: 'password',
    smtp_host_user: 'me',
    smtp_host_password: 'p',
  })
  expect(await sendEmail(settings, testMessage(), 'any')).toMatchObject({ ok: false })
  expect(smtp.mails).toEqual([])
})

test('the reply of the mail server is the outcome', async () => {
  await using smtp = await openTestSmtp({ password: 'right' })
  const settings = settingsOf(smtp.port, {
    smtp_auth: 'password',
    smtp_host_user: 'me',
    smtp_host_password: 'wrong',
  })
  expect(await sendEmail(settings, testMessage(), 'any')).toEqual({
    ok: false,
    answer: '535 5.7.8 (to AUTH PLAIN)',
  })
  const right = { ...settings, smtp_host_password: 'right' }
  smtp.refuse.recipient = '550 5.1.1 No such user'
  expect(await sendEmail(right, testMessage(), 'any')).toMatchObject({
    ok: false,
    answer: expect.stringMatching(/^550 5\.1\.1/),
  })
  delete smtp.refuse.recipient
  smtp.refuse.data = '452 4.2.2 Mailbox full'
  const outcome = await sendEmail(right, testMessage(), 'any')
  expect(outcome).toEqual({ ok: false, answer: expect.stringMatching(/^452 4\.2\.2/) })
})

test('an unreachable mail server is described in words', async () => {
  await using smtp = await openTestSmtp()
  const port = smtp.port
  await smtp[Symbol.asyncDispose]()
  expect(await sendEmail(settingsOf(port), testMessage(), 'any')).toEqual({
    ok: false,
    answer: `127.0.0.1:${port} refused the connection: nothing listens there (ECONNREFUSED)`,
  })
  const unknown = await sendEmail(settingsOf(25, { smtp_host: 'no-such-host.invalid' }), testMessage(), 'any')
  expect(unknown).toEqual({
    ok: false,
    answer: expect.stringMatching(/host no-such-host\.invalid does not exist/),
  })
  await using http = await openTestReceiver()
  const wrongPort = settingsOf(Number(new URL(http.url).port), { smtp_security: 'tls' })
  expect(await sendEmail(wrongPort, testMessage(), 'any')).toMatchObject({
    ok: false,
    answer: expect.stringMatching(/TLS/),
  })
})

test('OAuth2: the refresh token becomes an access token, and a new refresh token is stored', async () => {
  await using smtp = await openTestSmtp({ accessToken: 'access-1' })
  await using provider = await openTestReceiver()
  const settings = settingsOf(smtp.port, {
    smtp_auth: 'oauth2',
    smtp_host_user: 'me@example.com',
    oauth2_token_url: provider.url,
    oauth2_client_id: 'id',
    oauth2_client_secret: 'client-secret',
    oauth2_refresh_token: 'refresh-1',
  })
  provider.answer = {
    body: JSON.stringify({ access_token: 'access-1', refresh_token: 'refresh-2', filler: 'x'.repeat(3000) }),
  }
  expect(await sendEmail(settings, testMessage(), 'any')).toMatchObject({
    ok: true,
    rotatedToken: 'refresh-2',
  })
  expect(Object.fromEntries(new URLSearchParams(provider.requests[0]?.body))).toEqual({
    grant_type: 'refresh_token',
    client_id: 'id',
    client_secret: 'client-secret',
    refresh_token: 'refresh-1',
  })
  expect(smtp.mails).toMatchObject([{ user: 'me@example.com' }])
  provider.answer = { status: 400, body: '{"error":"invalid_grant"}' }
  expect(await sendEmail(settings, testMessage(), 'any')).toEqual({
    ok: false,
    answer: 'No access token: 400 Bad Request',
  })
  provider.answer = { body: 'hello' }
  expect(await sendEmail(settings, testMessage(), 'any')).toMatchObject({
    ok: false,
    answer: expect.stringMatching(/contains none/),
  })
  expect(smtp.mails).toHaveLength(1)
})
