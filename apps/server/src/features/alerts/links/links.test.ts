import { changeAlert, getAlert } from '@muster/contract/api/alerts'
import { listAudit } from '@muster/contract/api/audit'
import { expect, test } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'
import { createAlertBench, RESOLVED, webhookTo } from '../channels/test-alerts.ts'
import { openTestReceiver } from '../channels/test-receiver.ts'
import { openTestSmtp } from '../channels/test-smtp.ts'
import { alertLinkJobs } from './alert-links.ts'

const NOON = '2026-11-21T12:00:00.000Z'
const PUBLIC_URL = 'https://muster.example'

async function prepare(env: Record<string, string> = { MUSTER_PUBLIC_URL: PUBLIC_URL }) {
  await using stack = new AsyncDisposableStack()
  const smtp = stack.use(await openTestSmtp())
  const receiver = stack.use(await openTestReceiver())
  const server = stack.use(await createTestServer({ env: { MUSTER_CHANNEL_TARGETS: 'any', ...env } }))
  server.clock.freeze(NOON)
  const bench = createAlertBench(server.ctx)
  const mailTo = (...recipients: string[]) =>
    bench.channel(
      {
        kind: 'email',
        smtp_host: '127.0.0.1',
        smtp_port: smtp.port,
        smtp_security: 'none',
        smtp_auth: 'none',
        smtp_from_email: 'muster@example.com',
        recipients,
      },
      { time_zone: 'Europe/Zurich' },
      'Mail',
    )
  const machine = await server.given.agent({ hostname: 'PC-<12>' })
  const resources = stack.move()
  return {
    server,
    bench,
    smtp,
    receiver,
    mailTo,
    opened: async () => {
      const alert = await bench.alert({ agent_id: machine.agent_id, message: 'Disk C: is <b>full</b>' })
      await bench.notify(alert, 'opened')
      await server.ctx.jobs.drain()
      return alert
    },
    visit: (path: string, method: 'GET' | 'HEAD' | 'POST' = 'GET', origin = 'null') =>
      server.app.fastify.inject({
        url: path,
        method,
        headers: {
          accept: 'text/html',
          ...(method === 'POST' && { origin, 'content-type': 'application/x-www-form-urlencoded' }),
        },
      }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The path of the link in a mail or in the body of a webhook. */
function pathIn(text: string): string {
  const decoded = text.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  return /https:\/\/muster\.example(\/a\/[\w-]+)/.exec(decoded)?.[1] ?? 'no link'
}

test('a link in a mail acknowledges the alert once, in the name of its recipient', async () => {
  await using prepared = await prepare()
  const { server, smtp, visit } = prepared
  await prepared.mailTo('ops@example.com', 'boss@example.com')
  const { id } = await prepared.opened()
  expect(smtp.mails.map(({ to }) => to)).toEqual([['ops@example.com'], ['boss@example.com']])
  const [first, second] = smtp.mails.map(({ raw }) => pathIn(raw))
  expect(first).not.toBe(second)
  const admin = server.as(await server.given.user({ superuser: true, totp: true }))
  const read = async () => (await admin.call(getAlert, { params: { id } })).body

  // Mail programs and scanners open links before people do.
  expect((await visit(first ?? '', 'HEAD')).statusCode).toBe(200)
  const page = await visit(first ?? '')
  expect([page.statusCode, page.headers['referrer-policy'], page.headers['cache-control']]).toEqual([
    200,
    'no-referrer',
    'no-store',
  ])
  expect(page.headers['content-security-policy']).toContain("form-action 'self'")
  expect(page.body).toContain('Error on PC-&lt;12&gt;: Disk C: is &lt;b&gt;full&lt;/b&gt;')
  expect(page.body).toContain('You acknowledge as ops@example.com.')
  expect(page.body.match(/<button/g)).toHaveLength(1)
  expect(page.body).not.toContain('<b>')
  expect(await read()).toMatchObject({ state: 'open' })

  const done = await visit(first ?? '', 'POST')
  expect([done.statusCode, done.body]).toEqual([200, expect.stringContaining('Alert acknowledged')])
  expect(await read()).toMatchObject({
    state: 'acknowledged',
    acknowledged_by: 'ops@example.com',
    log: expect.arrayContaining([
      expect.objectContaining({
        kind: 'acknowledged',
        by: 'ops@example.com',
        text: 'By the link in the notification.',
      }),
    ]) as unknown,
  })
  const again = await visit(first ?? '', 'POST')
  expect([again.statusCode, again.body]).toEqual([410, expect.stringContaining('Link already used')])
  const other = await visit(second ?? '', 'POST')
  expect([other.statusCode, other.body]).toEqual([
    409,
    expect.stringContaining('Acknowledged by ops@example.com on 21 Nov 2026, 13:00 (Europe/Zurich).'),
  ])

  // Taking the acknowledgement back does not make a used link work again.
  await admin.call(changeAlert, { params: { id }, body: { type: 'unacknowledge' } })
  expect((await visit(first ?? '', 'POST')).statusCode).toBe(410)
  expect(await read()).toMatchObject({ state: 'open' })
  const { body: audit } = await admin.call(listAudit, { body: {} })
  expect(audit.audit_logs.find(({ username }) => username === 'ops@example.com')).toMatchObject({
    message: 'Acknowledged the alert "PC-<12>: Disk C: is <b>full</b>"',
    ip_address: '127.0.0.1',
    agent: 'PC-<12>',
  })
})

test('wrong, expired and resolved links say so, and show no other alert', async () => {
  await using prepared = await prepare()
  const { server, smtp, visit, bench } = prepared
  await prepared.mailTo('ops@example.com')
  const alert = await prepared.opened()
  const path = pathIn(smtp.mails[0]?.raw ?? '')
  const tampered = `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`
  for (const method of ['GET', 'POST'] as const) {
    const wrong = await visit(tampered, method)
    expect([wrong.statusCode, wrong.body]).toEqual([404, expect.stringContaining('Link not valid')])
    expect(wrong.body).not.toContain('Disk')
  }
  await bench.change(alert, RESOLVED)
  const resolved = await visit(path, 'POST')
  expect([resolved.statusCode, resolved.body]).toEqual([
    409,
    expect.stringContaining('Alert already resolved'),
  ])
  await bench.change(alert, { state: 'open', open_cause: alert.cause, resolved_on: null })
  server.clock.advance(48 * 3600)
  for (const method of ['GET', 'POST'] as const) {
    const expired = await visit(path, method)
    expect([expired.statusCode, expired.body]).toEqual([410, expect.stringContaining('Link expired')])
    expect(expired.body).not.toContain('Disk')
  }
  const row = await server.ctx.db.selectFrom('alerts').select('state').executeTakeFirstOrThrow()
  expect(row.state).toBe('open')
  // Kept for 30 days to be able to say so.
  server.clock.advance(31 * 86_400)
  const [job] = alertLinkJobs(server.ctx)
  await job?.run(null, new AbortController().signal)
  expect((await visit(path)).statusCode).toBe(404)
})

test('two clicks at once acknowledge once', async () => {
  await using prepared = await prepare()
  const { server, smtp, visit } = prepared
  await prepared.mailTo('ops@example.com')
  const { id } = await prepared.opened()
  const path = pathIn(smtp.mails[0]?.raw ?? '')
  const answers = await Promise.all(Array.from({ length: 5 }, () => visit(path, 'POST')))
  expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
    200, 410, 410, 410, 410,
  ])
  const log = await server.ctx.db
    .selectFrom('alert_log')
    .select('id')
    .where('alert_id', '=', id)
    .where('kind', '=', 'acknowledged')
    .execute()
  expect(log).toHaveLength(1)
})

test('guessing is slowed down, per network', async () => {
  await using prepared = await prepare()
  const { visit, server } = prepared
  const guess = () => visit(`/a/${'x'.repeat(43)}`)
  const codes = []
  for (let count = 0; count < 6; count++) codes.push((await guess()).statusCode)
  expect(codes).toEqual([404, 404, 404, 404, 404, 429])
  expect((await guess()).headers['retry-after']).toBe('2')
  server.clock.advance(3)
  expect((await guess()).statusCode).toBe(404)
})

test('hostile requests to a link change nothing', async () => {
  await using prepared = await prepare()
  const { server, smtp } = prepared
  await prepared.mailTo('ops@example.com')
  await prepared.opened()
  const url = pathIn(smtp.mails[0]?.raw ?? '')
  const { fastify } = server.app
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const big = await fastify.inject({ url, method: 'POST', headers: form, payload: 'x'.repeat(5000) })
  expect(big.statusCode).toBe(413)
  for (const method of ['PUT', 'DELETE', 'PATCH'] as const)
    expect((await fastify.inject({ url, method })).statusCode).toBe(405)
  for (const path of ['/a/%00', '/a/%2e%2e', `/a/${"'".repeat(20)}`])
    expect((await fastify.inject({ url: path })).statusCode).toBeLessThan(500)
  expect((await fastify.inject({ url: `/a/${'y'.repeat(300)}` })).statusCode).toBe(400)
  expect(await server.ctx.db.selectFrom('alert_links').select('used_at').execute()).toEqual([
    { used_at: null },
  ])
  const row = await server.ctx.db.selectFrom('alerts').select('state').executeTakeFirstOrThrow()
  expect(row.state).toBe('open')
})

test('a webhook gets the link as a field, acknowledges as its channel, and does not leak it', async () => {
  await using prepared = await prepare()
  const { server, receiver, visit, bench } = prepared
  await bench.channel(webhookTo(receiver.url), {}, 'Pager')
  await bench.channel(
    { ...webhookTo(`${receiver.url}2`), body_template: '{"ack": "{{acknowledge_url}}"}' },
    {},
    'Own',
  )
  // A receiver that repeats the request in its response.
  receiver.answer = { status: 500 }
  const { id } = await prepared.opened()
  const links = receiver.requests.map(({ body }) => pathIn(body))
  receiver.answer = { status: 500, body: `No route: ${PUBLIC_URL}${links.join(' ')}` }
  server.clock.advance(10)
  await server.ctx.jobs.drain()
  // A message that is sent again has the same link; the two channels send at the same time.
  const again = receiver.requests.slice(2).map(({ body }) => pathIn(body))
  expect(again.toSorted()).toEqual(links.toSorted())
  const tokens = links.map((link) => link.slice('/a/'.length))
  const kept = JSON.stringify([
    await server.ctx.db.selectFrom('alert_log').selectAll().execute(),
    await server.ctx.db.selectFrom('alert_notices').selectAll().execute(),
    await server.ctx.db.selectFrom('alert_channels').selectAll().execute(),
    await server.ctx.db.selectFrom('alert_links').selectAll().execute(),
  ])
  for (const token of tokens) expect(kept).not.toContain(token)
  const path = receiver.requests.flatMap(({ path: at, body }) => (at === '/hook' ? [pathIn(body)] : []))[0]
  expect((await visit(path ?? '', 'POST')).statusCode).toBe(200)
  const admin = server.as(await server.given.user({ superuser: true, totp: true }))
  expect((await admin.call(getAlert, { params: { id } })).body).toMatchObject({
    acknowledged_by: 'channel Pager',
  })
})

test('without a public URL there are no links, and one mail goes to all', async () => {
  await using prepared = await prepare({})
  const { smtp, receiver, bench, server } = prepared
  await prepared.mailTo('ops@example.com', 'boss@example.com')
  await bench.channel(webhookTo(receiver.url))
  await prepared.opened()
  expect(smtp.mails.map(({ to }) => to)).toEqual([['ops@example.com', 'boss@example.com']])
  expect(smtp.mails[0]?.raw).not.toContain('Acknowledge')
  expect(JSON.parse(receiver.requests[0]?.body ?? '')).toMatchObject({ acknowledge_url: null })
  expect(await server.ctx.db.selectFrom('alert_links').selectAll().execute()).toEqual([])
})

test('the end of an alert has no link', async () => {
  await using prepared = await prepare()
  const { smtp, bench, server } = prepared
  await prepared.mailTo('ops@example.com', 'boss@example.com')
  const alert = await prepared.opened()
  await bench.notify(alert, 'resolved', RESOLVED)
  await server.ctx.jobs.drain()
  expect(smtp.mails.map(({ to }) => to.length)).toEqual([1, 1, 2])
  expect(pathIn(smtp.mails[2]?.raw ?? '')).toBe('no link')
})
