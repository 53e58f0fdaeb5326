import type { Measured } from '@muster/contract/agent/checks'
import { listAlertChannels } from '@muster/contract/api/alert-channels'
import { expect, test } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'
import { storeResults } from '../../checks/store-results.ts'
import { createAlertBench, RESOLVED, webhookTo } from './test-alerts.ts'
import { LOOPBACK_CHANNELS, openTestReceiver, type TestReceiver } from './test-receiver.ts'
import { emailTo, openTestSmtp } from './test-smtp.ts'

const NOON = '2026-11-21T12:00:00.000Z'

async function openBench() {
  const server = await createTestServer({ env: LOOPBACK_CHANNELS })
  server.clock.freeze(NOON)
  const { ctx, clock } = server
  /** Advances the time and sends due notices. */
  const pass = async (seconds: number) => {
    clock.advance(seconds)
    await ctx.jobs.drain()
  }
  return { server, ctx, pass, bench: createAlertBench(ctx) }
}

interface Body {
  kind: string
  alert?: { message: string }
  alerts?: { kind: string; alert: { message: string } }[]
}
const bodies = ({ requests }: TestReceiver) => requests.map(({ body }) => JSON.parse(body) as Body)
const kinds = (receiver: TestReceiver) => bodies(receiver).map(({ kind }) => kind)

test('an opened and a resolved alert are sent by webhook and by mail', async () => {
  await using receiver = await openTestReceiver()
  await using smtp = await openTestSmtp()
  const { server, ctx, pass, bench } = await openBench()
  await using _server = server
  const hook = await bench.channel(webhookTo(receiver.url), {}, 'Hook')
  await bench.channel(emailTo(smtp.port), {}, 'Mail')
  const agent = await server.given.agent({ hostname: 'PC-12' })
  const alert = await bench.alert({ agent_id: agent.agent_id, alert_type: 'check' })
  await bench.notify(alert, 'opened')
  await pass(0)
  await bench.notify(alert, 'resolved', RESOLVED)
  await pass(60)
  expect(kinds(receiver)).toEqual(['opened', 'resolved'])
  expect(bodies(receiver)[0]?.alert).toMatchObject({ id: alert.id, hostname: 'PC-12', severity: 'error' })
  expect(smtp.mails.map(({ headers }) => headers.get('subject'))).toEqual([
    `Error on PC-12: ${alert.message}`,
    `Resolved on PC-12: ${alert.message}`,
  ])
  const log = await bench.log(alert)
  expect(log.sort()).toEqual([
    'notice_sent: Hook: 200 OK',
    'notice_sent: Hook: 200 OK',
    'notice_sent: Mail: 250 2.0.0',
    'notice_sent: Mail: 250 2.0.0',
  ])
  await pass(86_400)
  expect(receiver.requests).toHaveLength(2)
  const reader = server.as(await server.given.user({ permissions: ['can_view_core_settings'] }))
  const listed = (await reader.call(listAlertChannels, {})).body.find(({ id }) => id === hook.id)
  expect(listed?.health).toEqual({
    last_sent: '2026-11-21T12:01:00.000Z',
    failing_since: null,
    last_error: '',
    waiting: 0,
  })
  expect(await ctx.db.selectFrom('alert_channels').select('sending_by').execute()).toEqual([
    { sending_by: null },
    { sending_by: null },
  ])
})

test('the mail about a check that was not measured is about the machine, and names the cure', async () => {
  await using smtp = await openTestSmtp()
  const { server, ctx, pass, bench } = await openBench()
  await using _server = server
  await bench.channel(emailTo(smtp.port), {}, 'Mail')
  const agent = await server.given.agent({ hostname: 'PC-12' })
  const check = await server.given.check({ agent_id: agent.agent_id, revision: 'ping.1', fails_b4_alert: 1 })
  const reason = 'ping is missing on this machine. To install it: apt-get install iputils-ping'
  const report = (measured: Measured) =>
    ctx.transaction((tx, emit) =>
      storeResults(tx, emit, ctx, [
        {
          agentId: agent.agent_id,
          results: [
            { check_id: check.id, revision: 'ping.1', at: server.clock.now().toISOString(), measured },
          ],
        },
      ]),
    )
  await report({ check_type: 'unmeasurable', reason, not_measured: true })
  await pass(60)
  const [mail, ...others] = smtp.mails
  expect(others).toEqual([])
  expect(mail?.headers.get('subject')).toMatch(/^Warning on PC-12: Ping .*: Not measured: ping is missing/)
  const text = mail?.raw.replaceAll(/=\r?\n/g, '') ?? ''
  expect(text).toContain(`Not measured: ${reason}`)
  expect(text).not.toMatch(/\bfail/i)
})

test('spec, delivery: an unreachable channel is retried with back-off for a day, shows the failure, and recovers', async () => {
  await using receiver = await openTestReceiver()
  const { server, pass, bench } = await openBench()
  await using _server = server
  await bench.channel(webhookTo(receiver.url), {}, 'Hook')
  receiver.answer = { status: 500, body: 'broken' }
  const alert = await bench.alert()
  await bench.notify(alert, 'opened')
  const counts = []
  for (const seconds of [0, 9, 1, 60, 300, 900, 1800, 3600, 3599, 1]) {
    await pass(seconds)
    counts.push(receiver.requests.length)
  }
  expect(counts).toEqual([1, 1, 2, 3, 4, 5, 6, 7, 7, 8])
  const ids = new Set(receiver.requests.map(({ headers }) => headers['muster-delivery']))
  expect(ids.size).toBe(1)
  const reader = server.as(await server.given.user({ permissions: ['can_view_core_settings'] }))
  const health = async () => (await reader.call(listAlertChannels, {})).body[0]?.health
  expect(await health()).toMatchObject({
    failing_since: NOON,
    last_error: '500 Internal Server Error',
    waiting: 1,
  })
  receiver.answer = {}
  await pass(3600)
  expect(await health()).toMatchObject({ failing_since: null, last_error: '', waiting: 0 })
  expect(await bench.log(alert)).toEqual([
    'notice_failed: Hook: 500 Internal Server Error. Retrying for a day.',
    'notice_sent: Hook: 200 OK',
  ])
})

test('a notice is given up after a day', async () => {
  await using receiver = await openTestReceiver()
  const { server, pass, bench } = await openBench()
  await using _server = server
  await bench.channel(webhookTo(receiver.url), {}, 'Hook')
  receiver.answer = { status: 410 }
  const alert = await bench.alert()
  await bench.notify(alert, 'opened')
  for (let hour = 0; hour < 30; hour++) await pass(3600)
  expect((await bench.notices()).map(({ state, attempts }) => [state, attempts])).toEqual([['failed', 29]])
  expect((await bench.log(alert)).at(-1)).toMatch(/^notice_failed: Hook: Given up after a day\. 410 Gone/)
})

test('an alert that resolves before it is sent is not sent at all', async () => {
  await using receiver = await openTestReceiver()
  const { server, pass, bench } = await openBench()
  await using _server = server
  await bench.channel(webhookTo(receiver.url), {}, 'Hook')
  const alert = await bench.alert()
  await bench.notify(alert, 'opened')
  await bench.notify(alert, 'resolved', RESOLVED)
  await pass(60)
  expect(receiver.requests).toEqual([])
  expect(await bench.log(alert)).toEqual(['notice_held: Hook: The alert resolved before the notification.'])
})

test('the end of a possibly delivered alert is sent', async () => {
  await using receiver = await openTestReceiver()
  const { server, pass, bench } = await openBench()
  await using _server = server
  await bench.channel(webhookTo(receiver.url), {}, 'Hook')
  receiver.answer = { hang: true }
  const alert = await bench.alert()
  await bench.notify(alert, 'opened')
  await pass(0)
  receiver.answer = {}
  await bench.notify(alert, 'resolved', RESOLVED)
  await pass(60)
  expect(kinds(receiver)).toEqual(['opened', 'resolved'])
})

test('more than five notices at once are one message, fewer are one each', async () => {
  await using receiver = await openTestReceiver()
  const { server, pass, bench } = await openBench()
  await using _server = server
  await bench.channel(webhookTo(receiver.url))
  for (let index = 0; index < 5; index++) await bench.notify(await bench.alert(), 'opened')
  await pass(1)
  expect(kinds(receiver)).toEqual(Array(5).fill('opened'))
  for (let index = 0; index < 40; index++) await bench.notify(await bench.alert(), 'opened')
  await pass(1)
  expect(kinds(receiver).slice(5)).toEqual(['digest'])
  expect(bodies(receiver)[5]?.alerts).toHaveLength(40)
  expect(new Set((await bench.notices()).map(({ state }) => state))).toEqual(new Set(['sent']))
})

test('notices that wait for an unreachable channel become one message', async () => {
  await using receiver = await openTestReceiver()
  const { server, pass, bench } = await openBench()
  await using _server = server
  await bench.channel(webhookTo(receiver.url))
  receiver.answer = { status: 503 }
  for (let index = 0; index < 12; index++) {
    await bench.notify(await bench.alert(), 'opened')
    await pass(240)
  }
  receiver.answer = {}
  receiver.requests.length = 0
  await pass(3600)
  expect(bodies(receiver).map(({ alerts }) => alerts?.length)).toEqual([12])
})

test.each([
  [
    'acknowledged',
    { state: 'acknowledged', acknowledged_by: 'ada' },
    'Acknowledged by ada before the notification.',
  ],
  [
    'snoozed',
    { state: 'snoozed', snooze_until: '2026-11-22T00:00:00.000Z' },
    'Snoozed until 2026-11-22T00:00:00.000Z before the notification.',
  ],
  ['held', { hold: 'maintenance' }, 'Held: in maintenance.'],
] as const)('a notice of what is %s meanwhile is dropped with its reason', async (_, change, reason) => {
  await using receiver = await openTestReceiver()
  const { server, pass, bench } = await openBench()
  await using _server = server
  await bench.channel(webhookTo(receiver.url), {}, 'Hook')
  const alert = await bench.alert()
  await bench.notify(alert, 'opened')
  await bench.change(alert, change)
  await pass(1)
  expect(receiver.requests).toEqual([])
  expect(await bench.log(alert)).toEqual([`notice_held: Hook: ${reason}`])
  // A released alert is notified once.
  await bench.notify(alert, 'opened', { state: 'open', hold: null })
  await pass(1)
  expect(kinds(receiver)).toEqual(['opened'])
})

test('quiet hours hold back all but the exceptions, and their end sends one message', async () => {
  await using receiver = await openTestReceiver()
  const { server, pass, bench } = await openBench()
  await using _server = server
  await bench.channel(
    webhookTo(receiver.url),
    { quiet_from: '12:00', quiet_to: '14:00', time_zone: 'Europe/Zurich' },
    'Hook',
  )
  server.clock.freeze('2026-11-21T11:30:00.000Z')
  const first = await bench.alert({ severity: 'warning', message: 'first' })
  const second = await bench.alert({ severity: 'warning', message: 'second' })
  const over = await bench.alert({ severity: 'warning' })
  const grave = await bench.alert({ severity: 'error', message: 'grave' })
  for (const alert of [first, second, over, grave]) await bench.notify(alert, 'opened')
  await pass(1)
  expect(bodies(receiver).map(({ alert }) => alert?.message)).toEqual(['grave'])
  expect(await bench.log(first)).toEqual([
    'notice_held: Hook: Waiting for the end of the quiet hours (14:00 Europe/Zurich).',
  ])
  await bench.notify(over, 'resolved', RESOLVED)
  await pass(3600)
  // Worse now: sent at once, and not again at the end.
  await bench.notify(second, 'severity_changed', { severity: 'error' })
  await pass(1)
  expect(bodies(receiver).map(({ alert }) => alert?.message)).toEqual(['grave', 'second'])
  const third = await bench.alert({ severity: 'warning', message: 'third' })
  await bench.notify(third, 'opened')
  await pass(3600)
  expect(
    bodies(receiver)
      .slice(2)
      .map(({ alerts }) => alerts?.map(({ alert }) => alert.message)),
  ).toEqual([['first', 'third']])
})

test('a notification is repeated until the alert is acknowledged', async () => {
  await using receiver = await openTestReceiver()
  const { server, pass, bench } = await openBench()
  await using _server = server
  await bench.channel(webhookTo(receiver.url), { repeat_minutes: 30 }, 'Hook')
  const alert = await bench.alert()
  await bench.notify(alert, 'opened')
  for (let half = 0; half < 4; half++) await pass(900)
  expect(kinds(receiver)).toEqual(['opened', 'repeated'])
  await pass(1800)
  expect(kinds(receiver)).toHaveLength(3)
  await bench.change(alert, { state: 'acknowledged', acknowledged_by: 'ada' })
  await pass(7200)
  expect(kinds(receiver)).toHaveLength(3)
  await bench.notify(alert, 'resolved', RESOLVED)
  await pass(7200)
  expect(kinds(receiver).at(-1)).toBe('resolved')
  expect(receiver.requests).toHaveLength(4)
})

test('a template and PagerDuty send one message per alert', async () => {
  await using receiver = await openTestReceiver()
  const { server, pass, bench } = await openBench()
  await using _server = server
  await bench.channel({ kind: 'pagerduty', routing_key: 'r', url: receiver.url })
  for (let index = 0; index < 8; index++) await bench.notify(await bench.alert(), 'opened')
  await pass(1)
  const keys = receiver.requests.map(({ body }) => (JSON.parse(body) as { dedup_key: string }).dedup_key)
  expect(new Set(keys).size).toBe(8)
})
