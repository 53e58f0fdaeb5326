import { deleteAgent } from '@muster/contract/api/agents'
import { changeAlert, createAlert } from '@muster/contract/api/alerts'
import { listAudit } from '@muster/contract/api/audit'
import {
  createWebhook,
  discardWebhookDeliveries,
  editWebhook,
  listWebhookDeliveries,
  listWebhooks,
  renewWebhookSecret,
  resendWebhookDeliveries,
  testWebhook,
  WEBHOOK_EVENTS,
  type WebhookEvent,
} from '@muster/contract/api/webhooks'
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'
import {
  LOOPBACK_CHANNELS,
  openTestReceiver,
  type ReceivedRequest,
} from '../alerts/channels/test-receiver.ts'
import { startFleet } from '../fleet-jobs/test-fleet-jobs.ts'
import { at, result, startRuns } from '../runs/test-run.ts'

const NOON = '2026-11-27T12:00:00.000Z'

async function prepare(env: Record<string, string> = LOOPBACK_CHANNELS) {
  const server = await createTestServer({ env })
  const receiver = await openTestReceiver()
  const owner = await server.given.user({ superuser: true, username: 'grace' })
  // A session would end within the day of retries.
  const root = server.withKey(await server.given.apiKey(owner))
  return {
    server,
    receiver,
    root,
    given: server.given,
    add: async (
      events: readonly WebhookEvent[] = WEBHOOK_EVENTS,
      more: { client?: number; url?: string } = {},
    ) => {
      const body = {
        name: `Hook ${events.length} ${more.client ?? ''}`,
        url: receiver.url,
        events: [...events],
        ...more,
      }
      return (await root.call(createWebhook, { body })).body
    },
    /** Advances the time and sends what is due. */
    pass: async (seconds: number) => {
      server.clock.advance(seconds)
      await server.ctx.jobs.drain()
    },
    alert: async (message: string, agent?: string) =>
      (
        await root.call(createAlert, {
          body: { message, severity: 'error', ...(agent === undefined ? {} : { agent }) },
        })
      ).body,
    deliveries: async (id: number) =>
      (await root.call(listWebhookDeliveries, { params: { id }, query: {} })).body,
    [Symbol.asyncDispose]: async () => {
      await receiver[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

interface Body {
  id: string
  event: string
  machine: { hostname: string } | null
  client: { name: string } | null
  alert?: { message: string; state: string }
  run?: object
  job?: object
}
// Written by publish.ts.
const bodyOf = ({ body }: ReceivedRequest) => JSON.parse(body) as Body
const eventsOf = (requests: readonly ReceivedRequest[]) => requests.map((request) => bodyOf(request).event)

/** As docs/webhooks.md describes it. */
function isSigned({ headers, body }: ReceivedRequest, secret: string): boolean {
  const [, seconds, given] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['muster-signature'])) ?? []
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex') === given
}

test('an event arrives signed, and the secret is shown once', async () => {
  await using prepared = await prepare()
  const { server, receiver, root, given, pass, alert, deliveries } = prepared
  server.clock.freeze(NOON)
  const { secret, ...hook } = await prepared.add(['alert.opened', 'alert.resolved'])
  expect(secret).toMatch(/^whsec_[\w-]{43}$/)
  const agent = await given.agent({ hostname: 'PC-1' })
  const { id } = await alert('Disk full', agent.agent_id)
  await root.call(changeAlert, { params: { id }, body: { type: 'acknowledge' } })
  await pass(0)
  await root.call(changeAlert, { params: { id }, body: { type: 'resolve', note: 'Cleaned up' } })
  await pass(0)
  expect(receiver.requests.map(bodyOf)).toEqual([
    expect.objectContaining({
      event: 'alert.opened',
      created_at: NOON,
      machine: expect.objectContaining({ hostname: 'PC-1', agent_id: agent.agent_id }),
      alert: expect.objectContaining({ id, message: 'Disk full', state: 'open', severity: 'error' }),
    }),
    expect.objectContaining({
      event: 'alert.resolved',
      alert: expect.objectContaining({
        resolved_by: 'grace',
        resolution: expect.stringContaining('Cleaned up'),
      }),
    }),
  ])
  const [first] = receiver.requests
  expect(first?.headers).toMatchObject({
    'content-type': 'application/json',
    'muster-event': 'alert.opened',
    'muster-delivery': first === undefined ? '' : bodyOf(first).id,
  })
  expect(receiver.requests.map((request) => isSigned(request, secret))).toEqual([true, true])
  expect(receiver.requests.map((request) => isSigned(request, 'whsec_other'))).toEqual([false, false])
  expect((await deliveries(hook.id)).map(({ event, state, status, attempts, answer }) => [event, state, status, attempts, answer]))
    .toEqual(expect.arrayContaining([['alert.opened', 'delivered', 200, 1, '200 OK'], ['alert.resolved', 'delivered', 200, 1, '200 OK']])) // prettier-ignore
  const { body: listed, text } = await root.call(listWebhooks, {})
  expect(listed[0]).toMatchObject({ waiting: 0, failed: 0, last_delivered: NOON, failing_since: null })
  const { secret: renewed } = (await root.call(renewWebhookSecret, { params: { id: hook.id } })).body
  await alert('Another')
  await pass(0)
  expect(receiver.requests.slice(2).map((request) => [isSigned(request, secret), isSigned(request, renewed)])).toEqual([[false, true]]) // prettier-ignore
  const { text: log } = await root.call(listAudit, { body: { pagination: { page: 1, rowsPerPage: 50 } } })
  const stored = JSON.stringify(await server.ctx.db.selectFrom('webhooks').selectAll().execute())
  for (const shown of [text, log, stored]) expect(shown).not.toMatch(/whsec_/)
  expect(log).toContain('Replaced the secret of the webhook')
})

test('a failing receiver is tried for a day with one id, then the delivery waits to be sent again or deleted', async () => {
  await using prepared = await prepare()
  const { server, receiver, root, pass, alert, deliveries } = prepared
  server.clock.freeze(NOON)
  const { id } = await prepared.add(['alert.opened'])
  receiver.answer = { status: 503, body: 'try later' }
  await alert('First')
  const counts = []
  for (const minutes of [0, 1, 5, 15, 30, 60, 120, 240, 480]) {
    await pass(minutes * 60)
    counts.push(receiver.requests.length)
  }
  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  const [waiting] = await deliveries(id)
  expect(waiting).toMatchObject({ state: 'waiting', status: 503, answer: expect.stringContaining('503') })
  await pass(480 * 60)
  await pass(86_400)
  expect(receiver.requests).toHaveLength(10)
  expect(
    new Set(receiver.requests.map(({ headers, body }) => [headers['muster-delivery'], body].join(' '))).size,
  ).toBe(1)
  expect((await root.call(listWebhooks, {})).body[0]).toMatchObject({
    waiting: 0,
    failed: 1,
    failing_since: NOON,
  })

  receiver.answer = {}
  const params = { id }
  expect((await root.call(resendWebhookDeliveries, { params, body: {} })).body).toEqual({ changed: 1 })
  await pass(0)
  expect(receiver.requests).toHaveLength(11)
  expect(receiver.requests.at(-1)?.headers['muster-delivery']).toBe(waiting?.id)
  expect((await root.call(listWebhooks, {})).body[0]).toMatchObject({ failed: 0, failing_since: null })
  expect((await root.call(discardWebhookDeliveries, { params, body: {} })).body).toEqual({ changed: 0 })
  await server.ctx.db.updateTable('webhook_deliveries').set({ state: 'failed' }).execute()
  const chosen = { deliveries: [waiting?.id ?? ''] }
  expect((await root.call(discardWebhookDeliveries, { params, body: chosen })).body).toEqual({ changed: 1 })
  expect(await deliveries(id)).toEqual([])
})

test('a receiver that answers too late gets the same delivery again, and is left alone for a minute', async () => {
  await using prepared = await prepare()
  const { server, receiver, pass, alert, deliveries } = prepared
  server.clock.freeze(NOON)
  const { id } = await prepared.add(['alert.opened'])
  const { promise, resolve } = Promise.withResolvers<void>()
  receiver.answer = { hold: promise }
  await alert('First')
  server.clock.advance(1)
  await alert('Second')
  await pass(0)
  resolve()
  receiver.answer = {}
  expect(receiver.requests).toHaveLength(1)
  expect((await deliveries(id)).map(({ state, status }) => [state, status])).toEqual([['waiting', null], ['waiting', null]]) // prettier-ignore
  server.clock.advance(1)
  await alert('Third')
  await pass(30)
  expect(receiver.requests).toHaveLength(1)
  await pass(60)
  expect(receiver.requests.map((request) => bodyOf(request).alert?.message)).toEqual(['First', 'Second', 'Third', 'First']) // prettier-ignore
  expect(new Set(receiver.requests.map(({ headers }) => headers['muster-delivery'])).size).toBe(3)
})

test('redirects are not followed, and addresses of the own machine are refused by default', async () => {
  await using prepared = await prepare()
  await using target = await openTestReceiver()
  const { receiver, root, alert, pass, deliveries } = prepared
  const { id } = await prepared.add(['alert.opened'])
  receiver.answer = { status: 307, headers: { location: target.url } }
  await alert('First')
  await pass(0)
  expect(target.requests).toEqual([])
  expect((await deliveries(id))[0]).toMatchObject({ state: 'waiting', status: 307, answer: expect.stringContaining('not followed') }) // prettier-ignore
  const { body: tested } = await root.call(testWebhook, { params: { id } })
  expect(tested).toMatchObject({ ok: false })
  receiver.answer = {}
  expect((await root.call(testWebhook, { params: { id } })).body).toMatchObject({
    ok: true,
    answer: '200 OK',
  })
  expect(receiver.requests.at(-1)?.headers['muster-event']).toBe('test')
  for (const url of ['ftp://example.org', 'javascript:alert(1)', 'https://user:pass@example.org']) {
    const body = { name: url, url, events: ['alert.opened' as const] }
    expect((await root.call(createWebhook, { body })).error.fields).toHaveProperty('url')
  }

  await using strict = await prepare({})
  const own = await strict.add(['alert.opened'])
  const { body: refused } = await strict.root.call(testWebhook, { params: { id: own.id } })
  expect(refused).toMatchObject({ ok: false, answer: expect.stringContaining('MUSTER_CHANNEL_TARGETS') })
  expect(strict.receiver.requests).toEqual([])
})

test('a webhook of one client gets the events of its machines only', async () => {
  await using prepared = await prepare()
  const { receiver, given, alert, pass } = prepared
  const [mine, other] = [await given.agent({ hostname: 'mine' }), await given.agent({ hostname: 'other' })]
  const site = await prepared.server.ctx.db.selectFrom('sites').selectAll().where('id', '=', mine.site_id).executeTakeFirstOrThrow() // prettier-ignore
  await prepared.add(['alert.opened'], { client: site.client_id })
  await alert('A', mine.agent_id)
  await alert('B', other.agent_id)
  await alert('of no machine')
  await pass(0)
  expect(receiver.requests.map((request) => bodyOf(request).machine?.hostname)).toEqual(['mine'])
})

test('machines are reported when they are enrolled, offline by their own minutes, online and removed', async () => {
  await using prepared = await prepare()
  const { server, receiver, root, given, pass } = prepared
  const { url } = await server.listen()
  const past = new Date(Date.now() - 3_600_000).toISOString()
  const gone = await given.agent({ hostname: 'long gone', last_seen: past, offline_time: 5 })
  await prepared.add(['machine.enrolled', 'machine.offline', 'machine.online', 'machine.removed'])
  using agent = await TestAgent.enrol(server, url, gone.site_id, { hostname: 'new' })
  await pass(0)
  expect(eventsOf(receiver.requests)).toEqual(['machine.enrolled'])
  await agent.comeOnline()
  await pass(60)
  agent.cut()
  await server.ctx.db
    .updateTable('agents')
    .set({ connected: 0, link_process: null, last_seen: server.clock.now().toISOString(), offline_time: 5 })
    .where('agent_id', '=', agent.agentId)
    .execute()
  await pass(120)
  expect(eventsOf(receiver.requests), 'away for less than its offline time').toEqual(['machine.enrolled'])
  await pass(400)
  await pass(60)
  await server.ctx.db
    .updateTable('agents')
    .set({ connected: 1 })
    .where('agent_id', '=', agent.agentId)
    .execute()
  await pass(60)
  await root.call(deleteAgent, { params: { agent_id: agent.agentId } })
  await pass(0)
  expect(eventsOf(receiver.requests)).toEqual(['machine.enrolled', 'machine.offline', 'machine.online', 'machine.removed']) // prettier-ignore
  expect(new Set(receiver.requests.map((request) => bodyOf(request).machine?.hostname))).toEqual(
    new Set(['new']),
  )
})

test('a run is reported at its end without its command, and a job once for all of its runs', async () => {
  await using prepared = await prepare()
  const { server, receiver, pass } = prepared
  await prepared.add(['run.finished', 'job.finished'])
  using runs = await startRuns(server)
  await runs.agent.comeOnline()
  const { id: history_id } = await runs.send()
  runs.agent.report({ kind: 'accepted', history_id, at: at() })
  runs.agent.report(result(history_id, { retcode: 3 }))
  await runs.until(history_id, 'done')
  await pass(0)
  expect(receiver.requests.map(bodyOf)).toEqual([
    expect.objectContaining({
      event: 'run.finished',
      run: expect.objectContaining({ id: history_id, state: 'done', retcode: 3, username: 'ada' }),
    }),
  ])
  expect(receiver.requests[0]?.body).not.toContain('uptime')

  const fleet = await startFleet(3, { server, user: { username: 'bo' } })
  const job = await fleet.start()
  await fleet.answer(job.id)
  await server.app.fleetJobs.idle()
  await pass(0)
  expect(receiver.requests.slice(1).map(bodyOf)).toEqual([
    expect.objectContaining({
      event: 'job.finished',
      job: expect.objectContaining({
        id: job.id,
        state: 'done',
        machines: { waiting: 0, running: 0, succeeded: 3, failed: 0, skipped: 0 },
      }),
    }),
  ])
})

test('only roles that edit the settings of all clients have webhooks', async () => {
  await using prepared = await prepare()
  const { server, given, root } = prepared
  const { id, modified } = await prepared.add(['alert.opened'])
  const site = await given.site()
  const permissions = ['can_edit_core_settings'] as const
  const limited = server.as(await given.user({ permissions, clients: [site.client_id] }))
  const viewer = server.as(await given.user({ permissions: ['can_view_core_settings'] }))
  for (const client of [limited, viewer]) {
    expect((await client.call(listWebhooks, {})).status).toBe(403)
    expect((await client.call(listWebhookDeliveries, { params: { id }, query: {} })).status).toBe(403)
    expect((await client.call(testWebhook, { params: { id } })).status).toBe(403)
  }
  const params = { id }
  expect((await root.call(editWebhook, { params, body: { enabled: false, modified } })).body).toMatchObject({
    enabled: false,
  })
  expect((await root.call(editWebhook, { params, body: { enabled: true, modified } })).status).toBe(409)
  expect((await root.call(editWebhook, { params, body: { client: 999_999 } })).status).toBe(404)
})
