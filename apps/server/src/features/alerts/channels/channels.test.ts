import {
  type ChannelSettings,
  createAlertChannel,
  deleteAlertChannel,
  editAlertChannel,
  listAlertChannels,
  MASKED_SECRET,
  testAlertChannel,
} from '@muster/contract/api/alert-channels'
import type { Input } from '@muster/contract/endpoint'
import type { Event } from '@muster/contract/events'
import { describe, expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { openSettings } from './seal-settings.ts'

type Form = Input<typeof createAlertChannel>['body']

const EMAIL: Extract<Form['settings'], { kind: 'email' }> = {
  kind: 'email',
  smtp_host: 'mail.example',
  smtp_host_user: 'muster',
  smtp_host_password: 'pass-word-1',
  smtp_from_email: 'muster@example.com',
  recipients: ['ops@example.com'],
}
const WEBHOOK: Extract<Form['settings'], { kind: 'webhook' }> = {
  kind: 'webhook',
  url: 'https://tickets.example/new',
  headers: [{ name: 'X-Key', value: 'header-value-1' }],
  secret: 'signing-secret-1',
}
const form = (settings: Form['settings'] = EMAIL, rules: Form['rules'] = {}): Form => ({
  name: 'Ops',
  settings,
  rules,
})

async function asAdmin(server: TestServer) {
  return server.as(
    await server.given.user({ permissions: ['can_view_core_settings', 'can_edit_core_settings'] }),
  )
}

const storedSettings = async ({ ctx }: TestServer) =>
  (await ctx.db.selectFrom('alert_channels').select('settings').executeTakeFirstOrThrow()).settings
const openStored = async (server: TestServer): Promise<ChannelSettings> =>
  openSettings(await storedSettings(server), server.ctx.secrets)

test('a channel is added with default rules, and its secrets are never readable', async () => {
  await using server = await createTestServer()
  const events: Event[] = []
  server.ctx.onEvent((event) => void events.push(event))
  const admin = await asAdmin(server)
  const added = await admin.call(createAlertChannel, { body: form() })
  expect(added.body).toMatchObject({
    name: 'Ops',
    settings: { smtp_port: 587, smtp_security: 'starttls', smtp_host_password: MASKED_SECRET },
    rules: { enabled: true, severities: ['error', 'warning'], quiet_except: ['error'] },
    health: { last_sent: null, failing_since: null, last_error: '', waiting: 0 },
  })
  const listed = await admin.call(listAlertChannels, {})
  expect(listed.body).toEqual([added.body])
  expect(listed.body[0]?.settings).toMatchObject({ oauth2_client_secret: '', oauth2_refresh_token: '' })
  expect(events).toContainEqual({ type: 'alert_channel.changed', ids: [added.body.id] })
  const stored = await storedSettings(server)
  const log = await server.ctx.db.selectFrom('audit_log').selectAll().executeTakeFirstOrThrow()
  expect(log).toMatchObject({ action: 'add', message: 'Added the alert channel "Ops"' })
  for (const text of [stored, JSON.stringify(log), listed.text, added.text])
    expect(text).not.toContain('pass-word-1')
  expect(await openStored(server)).toMatchObject({ smtp_host_password: 'pass-word-1' })
})

test('a channel with addresses saved before the rule can be read', async () => {
  await using server = await createTestServer()
  const admin = await asAdmin(server)
  await admin.call(createAlertChannel, { body: form() })
  const old = { smtp_from_email: "o'brien@example.com", recipients: ["o'hara@example.com"] }
  const settings = JSON.stringify({ ...JSON.parse(await storedSettings(server)), ...old })
  await server.ctx.db.updateTable('alert_channels').set({ settings }).execute()
  const { body } = await admin.call(listAlertChannels, {})
  expect(body[0]?.settings).toMatchObject(old)
  const { id, name, settings: read, rules } = body[0]!
  const { error } = await admin.call(editAlertChannel, {
    params: { id },
    body: { name, settings: read, rules },
  })
  expect(Object.keys(error.fields ?? {})).toEqual(['settings.smtp_from_email', 'settings.recipients.0'])
})

test.each<[string, Form['settings'], readonly string[]]>([
  ['webhook', WEBHOOK, ['header-value-1', 'signing-secret-1']],
  ['slack', { kind: 'slack', url: 'https://slack.example/T1/secret1' }, ['secret1']],
  ['teams', { kind: 'teams', url: 'https://teams.example/secret1' }, ['secret1']],
  ['discord', { kind: 'discord', url: 'https://discord.example/secret1' }, ['secret1']],
  ['telegram', { kind: 'telegram', bot_token: '12:secret1', chat_id: '-5' }, ['secret1']],
  ['ntfy', { kind: 'ntfy', url: 'https://ntfy.sh/alerts', token: 'tk_secret1' }, ['secret1']],
  ['pagerduty', { kind: 'pagerduty', routing_key: 'secret1' }, ['secret1']],
  [
    'sms',
    {
      kind: 'sms',
      twilio_account_sid: 'AC1',
      twilio_auth_token: 'secret1',
      twilio_number: '+15550001111',
      recipients: ['+41791234567'],
    },
    ['secret1'],
  ],
])('%s: secrets are returned masked, and kept when sent back masked', async (_, settings, secrets) => {
  await using server = await createTestServer()
  const admin = await asAdmin(server)
  const { body: added } = await admin.call(createAlertChannel, { body: form(settings) })
  const before = await openStored(server)
  const saved = await admin.call(editAlertChannel, {
    params: { id: added.id },
    body: {
      name: 'Renamed',
      settings: added.settings,
      rules: { repeat_minutes: 30 },
      modified: added.modified,
    },
  })
  expect(saved.body).toMatchObject({
    name: 'Renamed',
    settings: added.settings,
    rules: { repeat_minutes: 30 },
  })
  expect(await openStored(server)).toEqual(before)
  const audit = await server.ctx.db.selectFrom('audit_log').selectAll().execute()
  for (const text of [await storedSettings(server), JSON.stringify(audit), saved.text]) {
    for (const secret of secrets) expect(text).not.toContain(secret)
  }
})

test('secrets are not sent to a changed address', async () => {
  await using server = await createTestServer()
  const admin = await asAdmin(server)
  const { body: added } = await admin.call(createAlertChannel, { body: form(WEBHOOK) })
  const save = (settings: Form['settings']) =>
    admin.call(editAlertChannel, { params: { id: added.id }, body: form(settings) })
  const masked = { ...WEBHOOK, headers: [{ name: 'x-key', value: MASKED_SECRET }], secret: MASKED_SECRET }
  expect((await save({ ...masked, url: 'https://evil.example/' })).error.fields).toMatchObject({
    'settings.headers': ['Enter it again, because its destination has changed.'],
  })
  expect((await save({ ...EMAIL, smtp_host_password: MASKED_SECRET })).error.fields).toMatchObject({
    'settings.smtp_host_password': ['Enter a value. None is stored.'],
  })
  const added2 = [...masked.headers, { name: 'X-Other', value: MASKED_SECRET }]
  expect((await save({ ...masked, headers: added2 })).status).toBe(400)
  expect((await save({ ...masked, url: 'https://tickets.example/other' })).status).toBe(200)
  expect(await openStored(server)).toMatchObject({ secret: 'signing-secret-1' })
  const moved = { ...masked, url: 'https://evil.example/', headers: [], secret: 'new' }
  expect((await save(moved)).status).toBe(200)
  expect(await openStored(server)).toMatchObject({ secret: 'new', headers: [] })
})

describe('refused at its field', () => {
  const webhook = (change: Partial<typeof WEBHOOK>) => form({ ...WEBHOOK, ...change })
  test.each<[string, Form, string]>([
    ['no name', { ...form(), name: ' ' }, 'name'],
    ['an unknown zone', form(EMAIL, { time_zone: 'Mars/Base' }), 'rules.time_zone'],
    ['an offset as zone', form(EMAIL, { time_zone: '+02:00' }), 'rules.time_zone'],
    ['one quiet time only', form(EMAIL, { quiet_from: '22:00' }), 'rules.quiet_to'],
    ['equal quiet times', form(EMAIL, { quiet_from: '22:00', quiet_to: '22:00' }), 'rules.quiet_to'],
    ['a client that does not exist', form(EMAIL, { clients: [999] }), 'rules.clients'],
    ['no severity', form(EMAIL, { severities: [] }), 'rules.severities'],
    [
      'a masked secret where there is none',
      form({ ...EMAIL, smtp_host_password: MASKED_SECRET }),
      'settings.smtp_host_password',
    ],
    [
      'a password to sign in that is empty',
      form({ ...EMAIL, smtp_host_password: '' }),
      'settings.smtp_host_password',
    ],
    ['OAuth2 without its address', form({ ...EMAIL, smtp_auth: 'oauth2' }), 'settings.oauth2_token_url'],
    ['a mail server with a user in it', form({ ...EMAIL, smtp_host: 'me@host' }), 'settings.smtp_host'],
    [
      'a recipient with a line break',
      form({ ...EMAIL, recipients: ['a@b.example\r\nBcc: x@y.example'] }),
      'settings.recipients.0',
    ],
    [
      'a header that breaks the line',
      webhook({ headers: [{ name: 'X-A', value: 'a\r\nb: c' }] }),
      'settings.headers.0.value',
    ],
    [
      'a header of the request itself',
      webhook({ headers: [{ name: 'Content-Length', value: '1' }] }),
      'settings.headers',
    ],
    [
      'the same header twice',
      webhook({
        headers: [
          { name: 'A', value: '1' },
          { name: 'a', value: '2' },
        ],
      }),
      'settings.headers',
    ],
    ['an address of a file', webhook({ url: 'file:///etc/passwd' }), 'settings.url'],
    [
      'a template that is not JSON',
      webhook({ body_template: '{"a": {{alert.message}}}' }),
      'settings.body_template',
    ],
    [
      'an unknown variable',
      webhook({ body_template: '{"a": "{{alert.secret}}"}' }),
      'settings.body_template',
    ],
    ['a topic of ntfy that is missing', form({ kind: 'ntfy', url: 'https://ntfy.sh/' }), 'settings.url'],
  ])('%s', async (_, body, field) => {
    await using server = await createTestServer()
    const { status, error } = await (await asAdmin(server)).call(createAlertChannel, { body })
    expect([status, Object.keys(error.fields ?? {})]).toEqual([400, [field]])
  })
})

test('a name is unique, and the second of two concurrent saves is refused', async () => {
  await using server = await createTestServer()
  server.clock.freeze('2026-11-20T10:00:00.000Z')
  const admin = await asAdmin(server)
  const { body: loaded } = await admin.call(createAlertChannel, { body: form() })
  const twice = await admin.call(createAlertChannel, { body: form() })
  expect([twice.status, Object.keys(twice.error.fields ?? {})]).toEqual([409, ['name']])
  const save = (name: string, modified: string) =>
    admin.call(editAlertChannel, { params: { id: loaded.id }, body: { ...form(), name, modified } })
  const first = await save('first', loaded.modified)
  expect(first.body.modified > loaded.modified).toBe(true)
  expect((await save('second', loaded.modified)).error).toMatchObject({ code: 'changed_meanwhile' })
  expect((await save('second', first.body.modified)).body.name).toBe('second')
})

test('a deleted client neither blocks saving a channel nor opens it to all clients', async () => {
  await using server = await createTestServer()
  const { id } = await server.given.client()
  const admin = await asAdmin(server)
  const { body: added } = await admin.call(createAlertChannel, { body: form(EMAIL, { clients: [id] }) })
  await server.ctx.db.deleteFrom('clients').where('id', '=', id).execute()
  const { rules } = (
    await admin.call(editAlertChannel, { params: { id: added.id }, body: { ...form(), rules: added.rules } })
  ).body
  expect(rules.clients).toEqual([id])
})

test('deleting a channel deletes its waiting notices', async () => {
  await using server = await createTestServer()
  const admin = await asAdmin(server)
  const { body: added } = await admin.call(createAlertChannel, { body: form() })
  const params = { id: added.id }
  expect((await admin.call(deleteAlertChannel, { params })).status).toBe(200)
  expect((await admin.call(listAlertChannels, {})).body).toEqual([])
  for (const endpoint of [deleteAlertChannel])
    expect((await admin.call(endpoint, { params })).status).toBe(404)
  expect((await admin.call(editAlertChannel, { params, body: form() })).error.code).toBe('not_found')
})

test('a user with read access to the settings can read channels but not change them', async () => {
  await using server = await createTestServer()
  const { body: added } = await (await asAdmin(server)).call(createAlertChannel, { body: form() })
  const reader = server.as(await server.given.user({ permissions: ['can_view_core_settings'] }))
  expect((await reader.call(listAlertChannels, {})).body).toHaveLength(1)
  const params = { id: added.id }
  expect((await reader.call(createAlertChannel, { body: form() })).status).toBe(403)
  expect((await reader.call(editAlertChannel, { params, body: form() })).status).toBe(403)
  expect((await reader.call(deleteAlertChannel, { params })).status).toBe(403)
})

describe('a role limited to one client', () => {
  async function prepare() {
    const server = await createTestServer()
    const own = await server.given.client({ name: 'Own' })
    const hidden = await server.given.client({ name: 'Hidden' })
    const permissions = ['can_view_core_settings', 'can_edit_core_settings'] as const
    return {
      server,
      own,
      hidden,
      admin: await asAdmin(server),
      limited: server.as(await server.given.user({ permissions, clients: [own.id] })),
      ofSite: async () => {
        const site = await server.given.site({ client_id: own.id })
        return server.as(await server.given.user({ permissions, sites: [site.id] }))
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  }
  const rulesField = (sentence: string) => ({ 'rules.clients': [sentence] })

  test('adds channels of its own clients only', async () => {
    await using bench = await prepare()
    const { own, hidden, limited } = bench
    const add = (clients: number[]) => limited.call(createAlertChannel, { body: form(WEBHOOK, { clients }) })
    expect(await add([])).toMatchObject({
      status: 403,
      error: {
        code: 'not_allowed',
        fields: rulesField('Your role is limited to some clients. Choose among them.'),
      },
    })
    for (const clients of [[hidden.id], [own.id, hidden.id], [4711]])
      expect(await add(clients)).toMatchObject({
        status: 404,
        error: {
          code: 'not_found',
          fields: rulesField('One of these clients does not exist, or you may not see all of it.'),
        },
      })
    const ofSite = await bench.ofSite()
    const bySite = await ofSite.call(createAlertChannel, { body: form(WEBHOOK, { clients: [own.id] }) })
    expect(bySite.status).toBe(404)
    const added = await add([own.id])
    expect(added.body.rules.clients).toEqual([own.id])
  })

  test('cannot read, change, delete or test a channel that receives alerts of others', async () => {
    await using bench = await prepare()
    const { own, hidden, admin, limited } = bench
    const given = async (name: string, clients: number[]) =>
      (await admin.call(createAlertChannel, { body: { ...form(WEBHOOK, { clients }), name } })).body
    const mine = await given('mine', [own.id])
    const others = [
      await given('all', []),
      await given('hidden', [hidden.id]),
      await given('both', [own.id, hidden.id]),
    ]
    const before = (await admin.call(listAlertChannels, {})).body
    expect((await limited.call(listAlertChannels, {})).body).toEqual([mine])
    expect((await (await bench.ofSite()).call(listAlertChannels, {})).body).toEqual([])
    for (const { id } of others) {
      const body = { ...form(WEBHOOK, { clients: [own.id] }), name: 'taken over' }
      const answers = [
        await limited.call(editAlertChannel, { params: { id }, body }),
        await limited.call(deleteAlertChannel, { params: { id } }),
        await limited.call(testAlertChannel, { body: { id, settings: body.settings } }),
      ]
      for (const answer of answers) expect([answer.status, answer.error.code]).toEqual([404, 'not_found'])
    }
    expect((await admin.call(listAlertChannels, {})).body).toEqual(before)
  })

  test('changes its own channel, but cannot add clients of others', async () => {
    await using bench = await prepare()
    const { own, hidden, limited } = bench
    const { id } = (await limited.call(createAlertChannel, { body: form(WEBHOOK, { clients: [own.id] }) }))
      .body
    const change = (clients: number[]) =>
      limited.call(editAlertChannel, {
        params: { id },
        body: { ...form(WEBHOOK, { clients }), name: 'New name' },
      })
    expect((await change([])).status).toBe(403)
    expect((await change([own.id, hidden.id])).status).toBe(404)
    expect((await change([own.id])).body).toMatchObject({ name: 'New name', rules: { clients: [own.id] } })
    expect((await limited.call(deleteAlertChannel, { params: { id } })).status).toBe(200)
  })
})
