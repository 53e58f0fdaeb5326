import { createUser, resetUserPassword } from '@muster/contract/api/accounts'
import { getDashInfo, getVersion, createSocketTicket } from '@muster/contract/api/system'
import {
  checkCredentials,
  endSession,
  endUserSessions,
  listOwnSessions,
  listUserSessions,
  logoutAll,
  resetPassword,
  resetTotp,
  setupTotp,
} from '@muster/contract/api/sessions'
import { getMe, savePreferences } from '@muster/contract/api/users'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import type { TestUser } from '../../../testing/test-given.ts'
import { redeemTicket } from './socket-tickets.ts'

test('a token without its cookie is refused', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user()
  const eve = await server.given.user()
  const thief = server.anonymous
  thief.token = ada.token
  expect((await thief.call(getVersion, {})).status).toBe(401)
  thief.cookies = new Map(eve.cookies)
  expect((await thief.call(getVersion, {})).status).toBe(401)
})

test('a cookie without its token is refused', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user()
  const page = server.anonymous
  page.cookies = new Map(ada.cookies)
  expect((await page.call(getVersion, {})).error.code).toBe('not_signed_in')
})

test('the cookies of a session are HttpOnly, Strict and, under https, Secure', async () => {
  for (const [env, prefix] of [
    [{}, /^muster-/],
    [{ MUSTER_PUBLIC_URL: 'https://127.0.0.1:8420' }, /^__Host-muster-/],
  ] as const) {
    await using server = await createTestServer({ env })
    await server.given.user({ username: 'ada', password: 'correct horse' })
    const client = server.anonymous
    client.headers['origin'] = env.MUSTER_PUBLIC_URL ?? 'http://127.0.0.1:8420'
    const { headers } = await client.call(checkCredentials, {
      body: { username: 'ada', password: 'correct horse' },
    })
    const cookies = [headers['set-cookie']].flat().map(String)
    const session = cookies.find((cookie) => cookie.includes('muster-session')) ?? ''
    expect(session).toMatch(prefix)
    expect(session).toMatch(/; HttpOnly/)
    expect(session).toMatch(/; SameSite=Strict/)
    expect(session.includes('; Secure')).toBe(env.MUSTER_PUBLIC_URL !== undefined)
    const xsrf = cookies.find((cookie) => cookie.startsWith('XSRF-TOKEN=')) ?? ''
    expect(xsrf).toMatch(/; SameSite=Strict/)
    expect(xsrf).not.toMatch(/HttpOnly/)
  }
})

test('two servers on one address use cookies of different names', async () => {
  await using one = await createTestServer()
  await using two = await createTestServer()
  const nameOf = async (server: TestServer) => [...new Map((await server.given.user()).cookies).keys()][0]
  expect(await nameOf(one)).toBe(await nameOf(one))
  expect(await nameOf(one)).not.toBe(await nameOf(two))
})

test('a write without the XSRF header, or with another value, is refused', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user())
  const write = { body: { dark_mode: false } }
  expect((await ada.call(savePreferences, write)).status).toBe(200)
  ada.headers['x-xsrf-token'] = ''
  expect((await ada.call(savePreferences, write)).error.code).toBe('bad_xsrf')
  ada.headers['x-xsrf-token'] = 'guessed'
  expect((await ada.call(savePreferences, write)).error.code).toBe('bad_xsrf')
  ada.cookies.set('XSRF-TOKEN', '')
  ada.headers['x-xsrf-token'] = ''
  expect((await ada.call(savePreferences, write)).error.code).toBe('bad_xsrf')
})

test('a browser that lost its XSRF cookie gets a new one with the next read', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user())
  ada.cookies.delete('XSRF-TOKEN')
  await ada.call(getVersion, {})
  expect((await ada.call(savePreferences, { body: { dark_mode: false } })).status).toBe(200)
})

test('a cookie XSRF-TOKEN of another program does not keep a browser from writing', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user())
  const write = { body: { dark_mode: false } }
  for (const foreign of ['foreign', '100%', 'a=b', 'x'.repeat(3000)]) {
    ada.cookies.set('XSRF-TOKEN', foreign)
    await ada.call(getVersion, {})
    ada.headers['x-xsrf-token'] = ada.cookies.get('muster-xsrf') ?? ''
    expect((await ada.call(savePreferences, write)).status).toBe(200)
    expect(ada.cookies.get('XSRF-TOKEN')).toBe(foreign)
  }
})

test.each(['', 'foreign', 'x'.repeat(40)])(
  'an XSRF cookie of the server with the content "%s" that pages cannot read is replaced',
  async (content) => {
    await using server = await createTestServer()
    const ada = server.as(await server.given.user())
    const write = { body: { dark_mode: false } }
    ada.cookies.delete('XSRF-TOKEN')
    ada.cookies.set('muster-xsrf', content)
    expect((await ada.call(savePreferences, write)).error.code).toBe('bad_xsrf')
    ada.headers['x-xsrf-token'] = ada.cookies.get('muster-xsrf') ?? ''
    expect(ada.headers['x-xsrf-token']).not.toBe(content)
    expect((await ada.call(savePreferences, write)).status).toBe(200)
  },
)

test('both kinds of credentials at once, an API key and an unknown scheme are refused with the reason', async () => {
  await using server = await createTestServer()
  const client = server.as(await server.given.user())
  client.headers = { 'x-api-key': 'SOMEKEY' }
  expect(await client.call(getVersion, {})).toMatchObject({ status: 400, error: { code: 'invalid' } })
  const stranger = server.anonymous
  stranger.headers = { 'x-api-key': 'SOMEKEY' }
  expect(await stranger.call(getVersion, {})).toMatchObject({
    status: 401,
    error: { detail: 'This API key is not known.' },
  })
  for (const authorization of ['Bearer abc', 'Basic YTpi', 'Token', 'Token a b', 'Token <script>']) {
    stranger.headers = { authorization }
    expect((await stranger.call(getVersion, {})).status).toBe(401)
  }
})

test('a session lasts twelve hours from its last use', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user())
  server.clock.advance(11 * 3600)
  expect((await ada.call(getVersion, {})).status).toBe(200)
  server.clock.advance(11 * 3600)
  expect((await ada.call(getVersion, {})).status).toBe(200)
  server.clock.advance(12 * 3600 + 301)
  expect((await ada.call(getVersion, {})).status).toBe(401)
})

test('use is stored at most once a minute', async () => {
  await using server = await createTestServer()
  const user = await server.given.user()
  const ada = server.as(user)
  const lastUsed = async () => (await ada.call(listOwnSessions, {})).body[0]?.last_used
  const first = await lastUsed()
  server.clock.advance(50)
  expect(await lastUsed()).toBe(first)
  server.clock.advance(11)
  await ada.call(getVersion, {})
  expect(await lastUsed()).not.toBe(first)
})

test('for five minutes after its end a session reads but does not write', async () => {
  await using server = await createTestServer()
  server.clock.freeze('2026-03-01T12:00:00.000Z')
  const ada = server.as(await server.given.user())
  expect((await ada.call(getDashInfo, {})).body.token_is_expired).toBe(false)
  server.clock.advance(12 * 3600 + 1)
  expect((await ada.call(getDashInfo, {})).body.token_is_expired).toBe(true)
  const write = await ada.call(savePreferences, { body: { dark_mode: false } })
  expect([write.status, write.error.code]).toEqual([401, 'session_expired'])
  expect((await ada.call(createSocketTicket, {})).status).toBe(401)
  server.clock.advance(298)
  expect((await ada.call(getDashInfo, {})).body.token_is_expired, 'reads do not extend it').toBe(true)
  server.clock.advance(2)
  expect((await ada.call(getDashInfo, {})).status).toBe(401)
})

test('a session can be listed and ended by its user, and by managers of accounts', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user({ username: 'ada' })
  const eve = await server.given.user({ username: 'eve' })
  const boss = await server.given.user({ permissions: ['can_list_accounts', 'can_manage_accounts'] })
  const seen = (await server.as(ada).call(listOwnSessions, {})).body
  expect(seen.map(({ user, current }) => [user, current])).toEqual([['ada', true]])

  const foreign = { params: { digest: ada.sessionDigest } }
  expect((await server.as(eve).call(endSession, foreign)).status).toBe(404)
  expect((await server.as(eve).call(listUserSessions, { params: { id: ada.id } })).status).toBe(403)
  expect((await server.as(boss).call(listUserSessions, { params: { id: ada.id } })).body).toHaveLength(1)
  expect((await server.as(boss).call(listUserSessions, { params: { id: 4711 } })).status).toBe(404)
  const events = recordEvents(server)
  expect((await server.as(boss).call(endSession, foreign)).status).toBe(200)
  expect(events).toContainEqual({ type: 'session.ended', ids: [ada.sessionDigest] })
  expect((await server.as(ada).call(getVersion, {})).status).toBe(401)
  expect((await server.as(boss).call(endSession, foreign)).status).toBe(404)
  expect((await server.as(boss).call(endUserSessions, { params: { id: eve.id } })).status).toBe(200)
  expect((await server.as(eve).call(getVersion, {})).status).toBe(401)
})

test('only superusers see the sessions of superusers', async () => {
  await using server = await createTestServer()
  const admin = await server.given.user({ superuser: true })
  const role = await server.given.user({ permissions: ['can_view_core_settings'] })
  await server.ctx.db.updateTable('roles').set({ is_superuser: 1 }).where('id', '=', role.roleId).execute()
  const helper = await server.given.user({ permissions: ['can_list_accounts'] })
  const list = async (caller: TestUser, id: number) =>
    (await server.as(caller).call(listUserSessions, { params: { id } })).status
  expect(await list(helper, admin.id)).toBe(403)
  expect(await list(helper, role.id)).toBe(403)
  expect(await list(helper, helper.id)).toBe(200)
  expect(await list(admin, role.id)).toBe(200)
})

test('signing out everywhere ends every session of the user and no other', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user()
  const eve = await server.given.user()
  await server.as(ada).call(logoutAll, {})
  expect((await server.as(ada).call(getVersion, {})).status).toBe(401)
  expect((await server.as(eve).call(getVersion, {})).status).toBe(200)
})

test('a new password ends the other sessions and keeps this one', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user({ username: 'ada', password: 'the old password' })
  const elsewhere = server.anonymous
  const signedIn = await elsewhere.call(checkCredentials, {
    body: { username: 'ada', password: 'the old password' },
  })
  elsewhere.token = signedIn.body.token
  const short = await server.as(ada).call(resetPassword, {
    body: { password: 'short', current_password: 'the old password' },
  })
  expect(short.error.fields?.['password']).toEqual(['A password has at least 10 characters.'])
  const changed = await server.as(ada).call(resetPassword, {
    body: { password: 'the new password', current_password: 'the old password' },
  })
  expect(changed.status).toBe(200)
  expect((await server.as(ada).call(getVersion, {})).status).toBe(200)
  expect((await elsewhere.call(getVersion, {})).status).toBe(401)
  const attempt = (password: string) =>
    server.anonymous.call(checkCredentials, { body: { username: 'ada', password } })
  expect((await attempt('the old password')).status).toBe(400)
  expect((await attempt('the new password')).status).toBe(200)
})

test('resetting two-factor sign-in ends the other sessions and shows a new key', async () => {
  await using server = await createTestServer()
  const user = await server.given.user({ username: 'ada', password: 'the old password', totp: true })
  const ada = server.as(user)
  const elsewhere = server.as(await server.given.anotherSignIn(user))
  expect((await elsewhere.call(getVersion, {})).status).toBe(200)
  expect((await ada.call(setupTotp, {})).body).toBe(false)
  const answer = await ada.call(resetTotp, { body: { current_password: 'the old password' } })
  expect(answer.status).toBe(200)
  expect((await elsewhere.call(getVersion, {})).status).toBe(401)
  const shown = (await ada.call(setupTotp, {})).body
  expect(shown === false ? '' : shown.totp_key).toMatch(/^[A-Z2-7]{32}$/)
  expect(shown === false ? '' : shown.totp_key).not.toBe(user.totpKey)
})

test('common passwords and the user name are refused with a sentence', async () => {
  await using server = await createTestServer()
  const user = await server.given.user({ username: 'grace', password: 'the old password' })
  const change = async (password: string) => {
    const { status, error } = await server.as(user).call(resetPassword, {
      body: { password, current_password: 'the old password' },
    })
    return [status, error.fields?.['password']?.[0]]
  }
  expect(await change('1234567890')).toEqual([400, expect.stringContaining('common')])
  expect(await change('Grace-likes-kites')).toEqual([400, expect.stringContaining('user name')])
  const admin = server.as(await server.given.user({ superuser: true }))
  const added = await admin.call(createUser, { body: { username: 'hopper', password: 'kites of hopper' } })
  expect(added.error.fields).toEqual({ password: [expect.stringContaining('user name')] })
  const reset = await admin.call(resetUserPassword, { body: { id: user.id, password: 'kites of grace' } })
  expect(reset.error.fields).toEqual({ password: [expect.stringContaining('user name')] })
  const common = await admin.call(resetUserPassword, { body: { id: user.id, password: 'Password2026!' } })
  expect(common.error.fields).toEqual({ password: [expect.stringContaining('common')] })
})

test('a session alone changes neither password nor second factor', async () => {
  await using server = await createTestServer()
  const user = await server.given.user({ username: 'ada', password: 'the old password', totp: true })
  const ada = server.as(user)
  const fields = async (body: object, url = '/accounts/resetpw/') => {
    const answer = await ada.send({ method: 'PUT', url, payload: body })
    return [answer.status, Object.keys(answer.error.fields ?? {})]
  }
  const password = 'the new password'
  expect(await fields({ password })).toEqual([400, ['current_password']])
  expect(await fields({ password, current_password: password })).toEqual([400, ['current_password']])
  expect(await fields({ password, twofactor: '000000' })).toEqual([400, ['twofactor']])
  expect(await fields({}, '/accounts/reset2fa/')).toEqual([400, ['current_password']])
  expect(await fields({ current_password: password }, '/accounts/reset2fa/')).toEqual([
    400,
    ['current_password'],
  ])
  expect((await ada.call(setupTotp, {})).body).toBe(false)
})

test('a fresh code changes the password once, without the old one', async () => {
  await using server = await createTestServer()
  const user = await server.given.user({ username: 'ada', password: 'the old password', totp: true })
  const ada = server.as(user)
  const twofactor = new TOTP({ secret: Secret.fromBase32(user.totpKey ?? '') }).generate({
    timestamp: server.ctx.now().getTime(),
  })
  const change = () => ada.call(resetPassword, { body: { password: 'the new password', twofactor } })
  expect((await change()).status).toBe(200)
  expect((await change()).error.fields?.['twofactor']).toEqual([
    expect.stringMatching(/^This code was used\. Wait for the next one \(\d+ s\)\.$/),
  ])
  expect(await server.ctx.db.selectFrom('throttles').selectAll().execute()).toEqual([])
})

test('guessing in a session is slowed down, and does not keep the owner from signing in', async () => {
  await using server = await createTestServer()
  const user = await server.given.user({ username: 'ada', password: 'the old password' })
  const guess = (current_password: string) =>
    server.as(user).call(resetPassword, { body: { password: 'the new password', current_password } })
  for (const word of ['one', 'two', 'three', 'four', 'five']) expect((await guess(word)).status).toBe(400)
  expect((await guess('the old password')).status).toBe(429)
  const signIn = await server.anonymous.call(checkCredentials, {
    body: { username: 'ada', password: 'the old password' },
  })
  expect(signIn.status).toBe(200)
})

test.each([
  ['the server is not on a loopback address', { MUSTER_HOST: '0.0.0.0' }, {}],
  ['the role demands it', {}, { totpRequired: true }],
])('without TOTP only its set-up is possible when %s', async (_, env, role) => {
  await using server = await createTestServer({ env })
  const ada = server.as(await server.given.user({ superuser: true, ...role }))
  expect((await ada.call(getDashInfo, {})).error.code).toBe('totp_required')
  expect((await ada.call(createSocketTicket, {})).error.code).toBe('totp_required')
  expect(
    (
      await ada.call(resetPassword, {
        body: { password: 'a long password', current_password: 'x' },
      })
    ).status,
  ).toBe(403)
  expect((await ada.call(getMe, {})).body).toMatchObject({ totp: false, totp_may_wait: false })
  expect((await ada.call(setupTotp, {})).status).toBe(200)

  const safe = server.as(await server.given.user({ superuser: true, totp: true, ...role }))
  expect((await safe.call(getDashInfo, {})).status).toBe(200)
})

test('an inactive user has no session', async () => {
  await using server = await createTestServer()
  const user = await server.given.user()
  await server.ctx.db.updateTable('users').set({ is_active: 0 }).where('id', '=', user.id).execute()
  expect((await server.as(user).call(getVersion, {})).status).toBe(401)
})

test('a socket ticket works once, for thirty seconds, while its session exists', async () => {
  await using server = await createTestServer()
  const user = await server.given.user({ username: 'ada', permissions: ['can_list_agents'] })
  const cookie = cookieOf(user)
  const ticket = async (holder: TestUser = user) =>
    (await server.as(holder).call(createSocketTicket, {})).body.ticket
  const first = await ticket()
  const caller = await redeemTicket(server.ctx, first, { source: '192.0.2.1', cookie })
  expect(caller).toMatchObject({ username: 'ada', source: '192.0.2.1' })
  expect(caller.permissions).toEqual(new Set(['can_list_agents']))
  await expect(redeemTicket(server.ctx, first, { source: '', cookie })).rejects.toThrow(
    'was used or has expired',
  )

  const late = await ticket()
  server.clock.advance(31)
  await expect(redeemTicket(server.ctx, late, { source: '', cookie })).rejects.toThrow(
    'was used or has expired',
  )

  const orphan = await ticket()
  await server.as(user).call(logoutAll, {})
  await expect(redeemTicket(server.ctx, orphan, { source: '', cookie })).rejects.toThrow(
    'was used or has expired',
  )
  await expect(redeemTicket(server.ctx, 'made up', { source: '', cookie })).rejects.toThrow(
    'was used or has expired',
  )
})

/** The session cookie of a user of a test. */
const cookieOf = ({ cookies }: TestUser) =>
  Array.from(cookies).find(([name]) => name.startsWith('muster-session-'))?.[1]

test('of ten concurrent uses of one ticket one succeeds', async () => {
  await using server = await createTestServer()
  const user = await server.given.user()
  const cookie = cookieOf(user)
  const { ticket } = (await server.as(user).call(createSocketTicket, {})).body
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, () => redeemTicket(server.ctx, ticket, { source: '', cookie })),
  )
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('no token, cookie, password or TOTP key is readable in the database or the log', async () => {
  await using server = await createTestServer()
  const user = await server.given.user({ username: 'ada', password: 'correct horse battery', totp: true })
  await server.anonymous.call(checkCredentials, {
    body: { username: 'ada', password: 'correct horse battery' },
  })
  const { ticket } = (await server.as(user).call(createSocketTicket, {})).body
  const tables = ['users', 'sessions', 'socket_tickets', 'audit_log', 'throttles', 'settings'] as const
  const rows = await Promise.all(tables.map((table) => server.ctx.db.selectFrom(table).selectAll().execute()))
  const everything = JSON.stringify(rows) + JSON.stringify(server.logLines)
  const secrets = [
    user.token,
    ...new Map(user.cookies).values(),
    user.totpKey,
    'correct horse battery',
    ticket,
  ]
  for (const secret of secrets) expect(everything).not.toContain(secret)
})

function recordEvents(server: TestServer): unknown[] {
  const events: unknown[] = []
  server.ctx.onEvent((event) => void events.push(event))
  return events
}
