import { ChannelRules } from '@muster/contract/api/alert-channels'
import { expect, test } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'
import { type Channel, decideNotice, type NoticeContext } from './decide-notice.ts'
import { createAlertBench, webhookTo } from './test-alerts.ts'

const SMS = {
  kind: 'sms' as const,
  twilio_account_sid: 'AC1',
  twilio_auth_token: 'token',
  twilio_number: '+41790000000',
  recipients: ['+41790000001'],
  api_url: 'http://127.0.0.1:1',
}
const NOW = Date.parse('2026-11-21T12:00:00.000Z')
const channel = (rules: Partial<ChannelRules> = {}, kind: Channel['kind'] = 'webhook'): Channel => ({
  id: 1,
  name: 'Hook',
  kind,
  rules: ChannelRules.parse(rules),
})
const owner = { clientId: 1, email: false, text: false }
const base: NoticeContext = {
  kind: 'opened',
  alert: { alert_type: 'check', severity: 'error' },
  channel: channel(),
  owner,
  earlier: [],
  nowMs: NOW,
}
const down = { alert_type: 'availability', severity: 'error' } as const
const sent = {
  id: 1,
  kind: 'opened',
  state: 'sent',
  delivery: 'd',
  unsure: 0,
  attempts: 0,
  due_at: '',
} as const

test.each<[string, Partial<NoticeContext>, string | undefined]>([
  ['an error on a usual channel', {}, 'opened'],
  ['an info on a usual channel', { alert: { alert_type: 'check', severity: 'info' } }, undefined],
  ['a channel that is off', { channel: channel({ enabled: false }) }, undefined],
  ['another type', { channel: channel({ alert_types: ['task'] }) }, undefined],
  ['one of its clients', { channel: channel({ clients: [1, 2] }) }, 'opened'],
  ['another client', { channel: channel({ clients: [2] }) }, undefined],
  [
    'an alert of no client, for a channel of some',
    { channel: channel({ clients: [2] }), owner: { ...owner, clientId: null } },
    undefined,
  ],
  ['an alert of no client, for a channel of all', { owner: { ...owner, clientId: null } }, 'opened'],
  ['a machine that is down, by webhook', { alert: down }, 'opened'],
  ['a machine that is down and wants no mail', { alert: down, channel: channel({}, 'email') }, undefined],
  [
    'one that does',
    { alert: down, channel: channel({}, 'email'), owner: { ...owner, email: true } },
    'opened',
  ],
  [
    'one that wants mail, by text message',
    { alert: down, channel: channel({}, 'sms'), owner: { ...owner, email: true } },
    undefined,
  ],
  [
    'one with text alerts',
    { alert: down, channel: channel({}, 'sms'), owner: { ...owner, text: true } },
    'opened',
  ],
  ['a check of a machine without e-mail alerts', { channel: channel({}, 'email') }, 'opened'],
  ['worse, after a notification', { kind: 'severity_changed', earlier: [sent] }, 'severity_changed'],
  ['worse, without an earlier notification', { kind: 'severity_changed' }, 'opened'],
  ['over, after a notification', { kind: 'resolved', earlier: [sent] }, 'resolved'],
  ['over, without an earlier notification', { kind: 'resolved' }, undefined],
  [
    'over, after a failed notification',
    { kind: 'resolved', earlier: [{ ...sent, state: 'failed' }] },
    undefined,
  ],
  [
    'over, while it is being sent',
    { kind: 'resolved', earlier: [{ ...sent, state: 'waiting' }] },
    'resolved',
  ],
  [
    'over, after a possible delivery',
    { kind: 'resolved', earlier: [{ ...sent, state: 'waiting', delivery: null, unsure: 1 }] },
    'resolved',
  ],
  ['over a second time', { kind: 'resolved', earlier: [sent, { ...sent, kind: 'resolved' }] }, undefined],
  [
    'over, without notifications of the end',
    { kind: 'resolved', earlier: [sent], channel: channel({ on_resolved: false }) },
    undefined,
  ],
])('%s', (_, change, kind) => {
  expect(decideNotice({ ...base, ...change })?.insert).toBe(kind)
})

test('a site that is down is sent by mail if one of its machines has e-mail alerts', async () => {
  await using server = await createTestServer()
  const bench = createAlertBench(server.ctx)
  await bench.channel(SMS, {}, 'sms')
  await bench.channel(webhookTo('http://127.0.0.1:1/'), {}, 'hook')
  const quiet = await server.given.agent({ overdue_email_alert: 1 })
  const loud = await server.given.agent({ overdue_text_alert: 1 })
  for (const { site_id } of [quiet, loud]) {
    const alert = await bench.alert({ alert_type: 'availability', site_id })
    await bench.notify(alert, 'opened')
  }
  const channels = await server.ctx.db
    .selectFrom('alert_notices')
    .innerJoin('alert_channels', 'alert_channels.id', 'alert_notices.channel_id')
    .select('name')
    .orderBy('alert_notices.id')
    .execute()
  expect(channels.map(({ name }) => name)).toEqual(['hook', 'hook', 'sms'])
})
