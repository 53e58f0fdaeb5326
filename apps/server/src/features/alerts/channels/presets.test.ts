import { createHmac } from 'node:crypto'
import type { ChannelSettings } from '@muster/contract/api/alert-channels'
import { expect, test } from 'vitest'
import { type Message, subjectOf, textOf } from './message.ts'
import { discordRequest, slackRequest, teamsRequest, telegramRequest } from './senders/chat.ts'
import { ntfyRequest, topicOf } from './senders/ntfy.ts'
import { pagerdutyRequest } from './senders/pagerduty.ts'
import { smsRequests } from './senders/sms.ts'
import { checkTemplate, fillTemplate } from './senders/template.ts'
import { webhookRequest } from './senders/webhook.ts'
import { testMessage, testNews } from './test-message.ts'

const HOSTILE = '<!channel> @everyone *x* "q" \\ </b>\r\nBcc: a@b.example \u202E{{alert.id}}'
const over = { state: 'resolved', resolved_on: '2026-11-21T16:00:00.000Z' } as const
const WEBHOOK: Extract<ChannelSettings, { kind: 'webhook' }> = {
  kind: 'webhook',
  url: 'https://hook.example/a',
  method: 'POST',
  headers: [],
  secret: '',
  body_template: '',
}
const json = ({ body }: { body: string }): unknown => JSON.parse(body)

test.each<[string, Message, string]>([
  ['an alert', testMessage(), 'Error on PC-12: Disk C: has 3 % left'],
  [
    'one that flaps',
    testMessage(testNews({ flapping: true })),
    'Error, flapping on PC-12: Disk C: has 3 % left',
  ],
  ['worse', testMessage(testNews({}, 'severity_changed')), 'Now error on PC-12: Disk C: has 3 % left'],
  ['again', testMessage(testNews({}, 'repeated')), 'Still error on PC-12: Disk C: has 3 % left'],
  ['over', testMessage(testNews(over, 'resolved')), 'Resolved on PC-12: Disk C: has 3 % left'],
  [
    'of a site',
    testMessage(testNews({ hostname: '', agent_id: null })),
    'Error on Acme / Basel: Disk C: has 3 % left',
  ],
  [
    'of nothing',
    testMessage(testNews({ hostname: '', client: '', site: '' })),
    'Error: Disk C: has 3 % left',
  ],
  ['lines', testMessage(testNews({ message: 'a\r\nBcc: b\u2028c' })), 'Error on PC-12: a Bcc: b c'],
  [
    'a digest',
    testMessage(
      testNews(),
      testNews(),
      testNews({ severity: 'warning' }),
      testNews({ severity: 'info' }),
      testNews(over, 'resolved'),
    ),
    '5 alerts: 2 errors, 1 warning, 1 info, 1 resolved',
  ],
])('the subject of %s', (_, message, subject) => {
  expect(subjectOf(message)).toBe(subject)
})

test('the text names the place, the time in the zone of the channel, and a link', () => {
  expect(textOf(testMessage(testNews(over, 'resolved'))).split('\n')).toEqual([
    'Disk C: has 3 % left',
    '',
    'Machine: PC-12',
    'Client: Acme',
    'Site: Basel',
    'Type: Check',
    'Since: 21 Nov 2026, 16:42 (Europe/Zurich)',
    'Resolved: 21 Nov 2026, 17:00 (Europe/Zurich)',
    '',
    'https://muster.example/alerts?alert=7',
  ])
  const many = testMessage(...Array.from({ length: 120 }, (_, index) => testNews({ id: index + 1 })))
  expect(textOf(many).split('\n').slice(49, 51)).toEqual([
    'Error on PC-12: Disk C: has 3 % left',
    '… and 70 more',
  ])
})

test('a webhook is signed over time and body, and names its delivery', () => {
  const headers = [{ name: 'X-Key', value: 'k' }]
  const request = webhookRequest({ ...WEBHOOK, method: 'PUT', secret: 's3', headers }, testMessage())
  const seconds = Date.parse('2026-11-21T15:43:00Z') / 1000
  const v1 = createHmac('sha256', 's3').update(`${seconds}.${request.body}`).digest('hex')
  expect(request).toMatchObject({
    url: 'https://hook.example/a',
    method: 'PUT',
    headers: {
      'content-type': 'application/json',
      'x-key': 'k',
      'muster-delivery': 'd-1',
      'muster-signature': `t=${seconds},v1=${v1}`,
    },
  })
  expect(json(request)).toMatchObject({
    delivery: 'd-1',
    kind: 'opened',
    alert: { id: 7, hostname: 'PC-12' },
  })
  expect(webhookRequest({ ...WEBHOOK }, testMessage()).headers).not.toHaveProperty('muster-signature')
  expect(
    json(webhookRequest({ ...WEBHOOK }, testMessage(testNews(), testNews(over, 'resolved')))),
  ).toMatchObject({
    kind: 'digest',
    alerts: [{ kind: 'opened' }, { kind: 'resolved', alert: { resolved_on: over.resolved_on } }],
  })
})

test('a body template escapes values so that none ends its string', () => {
  const template =
    '{"title": "{{ alert.message }}", "id": {{alert.id}}, "who": ["{{alert.hostname}}", "{{kind}}"]}'
  const filled = fillTemplate(template, testMessage(testNews({ message: HOSTILE })))
  expect(JSON.parse(filled)).toEqual({ title: HOSTILE, id: 7, who: ['PC-12', 'opened'] })
})

test.each([
  ['', undefined],
  ['{"a": "{{subject}}", "n": {{alert.client_id}}}', undefined],
  ['{"a": "{{alert.nonsense}}"}', /variable \{\{alert\.nonsense\}\} does not exist/],
  ['{"a": "{{constructor}}"}', /does not exist/],
  ['{"a": {{alert.message}}}', /no JSON/],
  ['text', /no JSON/],
])('the template %s is checked', (template, fault) => {
  if (fault === undefined) expect(checkTemplate(template)).toBeUndefined()
  else expect(checkTemplate(template)).toMatch(fault)
})

test('slack: markup in a message is text', () => {
  const request = slackRequest(
    { url: 'https://slack.example/x' },
    testMessage(testNews({ message: HOSTILE })),
  )
  expect(request.body).not.toContain('<!channel>')
  expect(json(request)).toMatchObject({
    attachments: [
      {
        color: '#c92a2a',
        title_link: 'https://muster.example/alerts?alert=7',
        fields: [{ title: 'Machine', value: 'PC-12' }, {}, {}, {}, {}],
      },
    ],
  })
  expect(json(slackRequest({ url: 'x' }, testMessage(testNews(over, 'resolved'))))).toMatchObject({
    attachments: [{ color: '#2b8a3e' }],
  })
})

test('teams: an adaptive card of text runs', () => {
  const request = teamsRequest(
    { url: 'https://teams.example/x' },
    testMessage(testNews({ message: HOSTILE })),
  )
  expect(json(request)).toMatchObject({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          type: 'AdaptiveCard',
          body: [
            { inlines: [{ color: 'Attention', weight: 'Bolder' }] },
            { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: HOSTILE }] },
            {},
            {},
            {},
            {},
            {},
          ],
          actions: [{ url: 'https://muster.example/alerts?alert=7' }],
        },
      },
    ],
  })
})

test('discord: mentions are disabled, within its length limits', () => {
  const many = testMessage(...Array.from({ length: 60 }, () => testNews({ message: 'x'.repeat(4000) })))
  for (const message of [many, testMessage(testNews({ message: HOSTILE.repeat(100) }))]) {
    const body = json(discordRequest({ url: 'x' }, message))
    expect(body).toMatchObject({ allowed_mentions: { parse: [] }, embeds: [{ color: 0xc92a2a }] })
    const [embed] = (body as { embeds: [{ title: string; description: string }] }).embeds
    expect(embed.title.length).toBeLessThanOrEqual(256)
    expect(embed.description.length).toBeLessThanOrEqual(4096)
  }
})

test('telegram: plain text to the chat, cut without half a character', () => {
  const settings = {
    kind: 'telegram',
    bot_token: '12:ab/c',
    chat_id: '-100',
    api_url: 'https://tg.example/',
  } as const
  const request = telegramRequest(settings, testMessage(testNews({ message: '😀'.repeat(4000) })))
  expect(request.url).toBe('https://tg.example/bot12:ab%2Fc/sendMessage')
  const body = json(request) as Record<string, string>
  expect(body).not.toHaveProperty('parse_mode')
  expect(body['text']?.length).toBeLessThanOrEqual(4096)
  expect(body['text']?.isWellFormed()).toBe(true)
})

test.each([
  ['https://ntfy.sh/alerts', { server: 'https://ntfy.sh/', topic: 'alerts' }],
  ['https://a.example/ntfy/my_topic-1/', { server: 'https://a.example/ntfy/', topic: 'my_topic-1' }],
  ['https://ntfy.sh/', undefined],
  ['https://ntfy.sh/a%20b', undefined],
  ['nonsense', undefined],
])('ntfy: the topic of %s', (url, topic) => {
  expect(topicOf(url)).toEqual(topic)
})

test('ntfy: any title, by priority, with the token', () => {
  const settings = { kind: 'ntfy', url: 'https://ntfy.sh/alerts', token: 'tk_1' } as const
  const request = ntfyRequest(settings, testMessage(testNews({ message: 'Größe\nß' })))
  expect(request).toMatchObject({ url: 'https://ntfy.sh/', headers: { authorization: 'Bearer tk_1' } })
  expect(json(request)).toMatchObject({
    topic: 'alerts',
    title: 'Error on PC-12: Größe ß',
    priority: 5,
    click: 'https://muster.example/alerts?alert=7',
  })
  expect(ntfyRequest({ ...settings, token: '' }, testMessage()).headers).not.toHaveProperty('authorization')
})

test('pagerduty: an incident is resolved by the key that triggered it', () => {
  const settings = { kind: 'pagerduty', routing_key: 'r1', url: 'https://pd.example/enqueue' } as const
  const bodies = (['opened', 'severity_changed', 'repeated', 'resolved'] as const).map((kind) =>
    json(pagerdutyRequest(settings, testMessage(testNews({}, kind)))),
  )
  for (const body of bodies) expect(body).toMatchObject({ routing_key: 'r1', dedup_key: 'muster-home-7' })
  expect(bodies).toMatchObject([
    {
      event_action: 'trigger',
      payload: {
        summary: 'Error on PC-12: Disk C: has 3 % left',
        source: 'PC-12',
        severity: 'error',
        group: 'Acme / Basel',
      },
    },
    { event_action: 'trigger' },
    { event_action: 'trigger' },
    { event_action: 'resolve' },
  ])
  const long = json(pagerdutyRequest(settings, testMessage(testNews({ message: 'x'.repeat(5000) }))))
  expect((long as { payload: { summary: string } }).payload.summary).toHaveLength(1024)
})

test('sms: one request to Twilio per number', () => {
  const settings = {
    kind: 'sms',
    twilio_account_sid: 'AC/1',
    twilio_auth_token: 't',
    twilio_number: '+15550001111',
    recipients: ['+41790000001', '+41790000002'],
    api_url: 'https://sms.example',
  } as const
  const requests = smsRequests(
    { ...settings, recipients: [...settings.recipients] },
    testMessage(testNews({ message: 'é&='.repeat(1000) })),
  )
  expect(requests.map(({ url }) => url)).toEqual(
    Array(2).fill('https://sms.example/2010-04-01/Accounts/AC%2F1/Messages.json'),
  )
  const bodies = requests.map(({ body }) => new URLSearchParams(body))
  expect(bodies.map((body) => body.get('To'))).toEqual(settings.recipients)
  expect(bodies[0]?.get('Body')?.length).toBeLessThanOrEqual(450)
  expect(bodies[0]?.get('Body')).toMatch(/^Error on PC-12: é&=.*…\nhttps:\/\/muster/s)
  expect(requests[0]?.headers['authorization']).toBe(`Basic ${btoa('AC/1:t')}`)
})
