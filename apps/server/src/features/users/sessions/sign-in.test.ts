import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { getDashInfo } from '@muster/contract/api/system'
import {
  checkCredentials,
  confirmTotp,
  listOwnSessions,
  login,
  logout,
  resetTotp,
  setupTotp,
} from '@muster/contract/api/sessions'
import { editCoreSettings } from '@muster/contract/api/settings'
import { Secret, TOTP } from 'otpauth'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import type { TestClient } from '../../../testing/test-client.ts'

const PASSWORD = 'correct horse battery'

function codeOf(server: TestServer, key: string, stepsAway = 0): string {
  const timestamp = server.clock.now().getTime() + stepsAway * 30_000
  return new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp })
}

test('a user without TOTP gets a working session from the password', async () => {
  await using server = await createTestServer()
  await server.given.user({
    username: 'ada',
    password: PASSWORD,
    fields: { first_name: 'Ada', last_name: 'L' },
  })
  const browser = server.anonymous
  const { status, body } = await browser.call(checkCredentials, {
    body: { username: ' Ada ', password: PASSWORD },
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({ totp: false, username: 'ada', name: 'Ada L' })
  browser.token = body.token
  const sessions = await browser.call(listOwnSessions, {})
  expect(sessions.body.filter((session) => session.current)).toHaveLength(1)
})

test('a user with TOTP gets no session from the password alone', async () => {
  await using server = await createTestServer()
  await server.given.user({ username: 'ada', password: PASSWORD, totp: true })
  const browser = server.anonymous
  const { body, headers } = await browser.call(checkCredentials, {
    body: { username: 'ada', password: PASSWORD },
  })
  expect(body).toEqual({ totp: true })
  expect(headers['set-cookie']).toBeUndefined()
})

test('password and code sign in', async () => {
  await using server = await createTestServer()
  const { totpKey = '' } = await server.given.user({ username: 'ada', password: PASSWORD, totp: true })
  const browser = server.anonymous
  const code = codeOf(server, totpKey)
  const { body } = await browser.call(login, {
    body: { username: 'ada', password: PASSWORD, twofactor: `${code.slice(0, 3)} ${code.slice(3)}` },
  })
  browser.token = body.token
  expect((await browser.call(listOwnSessions, {})).status).toBe(200)
})

test('a code is accepted once', async () => {
  await using server = await createTestServer()
  const { totpKey = '' } = await server.given.user({ username: 'ada', password: PASSWORD, totp: true })
  server.clock.freeze('2026-11-21T10:00:10Z')
  const signIn = (code: string) =>
    server.anonymous.call(login, { body: { username: 'ada', password: PASSWORD, twofactor: code } })
  const code = codeOf(server, totpKey)
  expect((await signIn(code)).status).toBe(200)
  expect((await signIn(code)).status).toBe(400)
  expect((await signIn(codeOf(server, totpKey, -1))).status).toBe(400)
  server.clock.advance(30)
  expect((await signIn(codeOf(server, totpKey))).status).toBe(200)
})

test('the code that was just used is named as such, and is no failed attempt', async () => {
  await using server = await createTestServer()
  const { totpKey = '' } = await server.given.user({ username: 'ada', password: PASSWORD, totp: true })
  server.clock.freeze('2026-11-21T10:00:18Z')
  const browser = server.anonymous
  const signIn = async (twofactor: string, password = PASSWORD) => {
    const answer = await browser.call(login, { body: { username: 'ada', password, twofactor } })
    return answer.status === 200 ? 'signed in' : answer.error.detail
  }
  const wrong = 'User name, password or code is wrong. Check them and try again.'
  const code = codeOf(server, totpKey)
  expect(await signIn(code)).toBe('signed in')
  for (let count = 0; count < 6; count += 1)
    expect(await signIn(code)).toBe('This code was used. Wait for the next one (12 s).')
  expect(await server.ctx.db.selectFrom('throttles').selectAll().execute()).toEqual([])
  expect(await signIn(code, 'wrong horse')).toBe(wrong)
  expect(await signIn(codeOf(server, totpKey, -1)), 'never used').toBe(wrong)
  server.clock.advance(12)
  expect(await signIn(code), 'an app whose clock is slow').toBe('This code was used. Wait for the next one.')
  expect(await signIn(codeOf(server, totpKey))).toBe('signed in')
})

test('a new key takes a code in the period in which the previous key was used', async () => {
  await using server = await createTestServer()
  server.clock.freeze('2026-11-21T10:00:18Z')
  const ada = server.as(await server.given.user({ username: 'ada', password: PASSWORD }))
  const confirmNewKey = async () => {
    const shown = (await ada.call(setupTotp, {})).body
    if (shown === false) throw new Error('no key was shown')
    return ada.call(confirmTotp, { body: { twofactor: codeOf(server, shown.totp_key) } })
  }
  expect((await confirmNewKey()).status).toBe(200)
  const reset = await ada.call(resetTotp, { body: { current_password: PASSWORD } })
  expect(reset.status).toBe(200)
  expect((await confirmNewKey()).status).toBe(200)
})

test('of ten concurrent requests with the same code one signs in', async () => {
  await using server = await createTestServer()
  const { totpKey = '' } = await server.given.user({ username: 'ada', password: PASSWORD, totp: true })
  const twofactor = codeOf(server, totpKey)
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      server.anonymous.call(login, { body: { username: 'ada', password: PASSWORD, twofactor } }),
    ),
  )
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
})

test.each([
  [-2, 400],
  [-1, 200],
  [0, 200],
  [1, 200],
  [2, 400],
])('a code %i steps away returns %i', async (steps, expected) => {
  await using server = await createTestServer()
  server.clock.freeze(new Date().toISOString())
  const { totpKey = '' } = await server.given.user({ username: 'ada', password: PASSWORD, totp: true })
  const twofactor = codeOf(server, totpKey, steps)
  const { status } = await server.anonymous.call(login, {
    body: { username: 'ada', password: PASSWORD, twofactor },
  })
  expect(status).toBe(expected)
})

test('a wrong user, a wrong password, a wrong code and an inactive user get the same response', async () => {
  await using server = await createTestServer()
  const { totpKey = '' } = await server.given.user({ username: 'ada', password: PASSWORD, totp: true })
  await server.given.user({ username: 'gone', password: PASSWORD, totp: true, fields: { is_active: 0 } })
  await server.given.user({ username: 'plain', password: PASSWORD })
  const good = codeOf(server, totpKey)
  const wrong = good === '000000' ? '111111' : '000000'
  const attempts = [
    { username: 'nobody', password: PASSWORD, twofactor: good },
    { username: 'ada', password: 'wrong', twofactor: good },
    { username: 'ada', password: PASSWORD, twofactor: wrong },
    { username: 'gone', password: PASSWORD, twofactor: wrong },
    { username: 'plain', password: PASSWORD, twofactor: wrong },
  ]
  const answers = []
  for (const [index, body] of attempts.entries()) {
    const client = fromAddress(server.anonymous, `192.0.2.${index}`)
    const { status, error } = await client.call(login, { body })
    answers.push({ status, error: { ...error, request_id: '' } })
  }
  const checked = await fromAddress(server.anonymous, '192.0.2.99').call(checkCredentials, {
    body: { username: 'nobody', password: PASSWORD },
  })
  answers.push({ status: checked.status, error: { ...checked.error, request_id: '' } })
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(answers[0]).toMatchObject({ status: 400, error: { code: 'bad_credentials' } })
})

test('a wrong user costs as much as a wrong password', async () => {
  await using server = await createTestServer()
  await server.given.user({ username: 'ada', password: PASSWORD })
  // Nothing is replaced, only counted.
  const argon2 = vi.spyOn(crypto, 'argon2')
  syncBuiltinESMExports()
  onTestFinished(() => {
    argon2.mockRestore()
    syncBuiltinESMExports()
  })
  const costsOf = async (username: string) => {
    argon2.mockClear()
    await server.anonymous.call(checkCredentials, { body: { username, password: 'wrong' } })
    return argon2.mock.calls.map(([, { memory, passes, tagLength }]) => ({ memory, passes, tagLength }))
  }
  const costs = await costsOf('ada')
  expect(costs).toHaveLength(1)
  expect(await costsOf('nobody')).toEqual(costs)
})

test('a TOTP key stays the same until a first code confirms it, and is never shown again', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user({ username: 'ada', password: PASSWORD })
  const client = server.as(ada)
  const first = (await client.call(setupTotp, {})).body
  const second = (await client.call(setupTotp, {})).body
  expect(second).toEqual(first)
  if (first === false) throw new Error('no key was shown')
  expect(first.qr_url).toMatch(/^otpauth:\/\/totp\/Muster:ada\?/)
  const stored = await server.ctx.db.selectFrom('users').select('totp_key').execute()
  expect(JSON.stringify(stored)).not.toContain(first.totp_key)

  const wrong = await client.call(confirmTotp, { body: { twofactor: '000000' } })
  expect([wrong.status, wrong.error.fields?.['twofactor']]).toEqual([400, [expect.any(String)]])
  const code = codeOf(server, first.totp_key)
  const elsewhere = server.as(await server.given.anotherSignIn(ada))
  expect((await client.call(confirmTotp, { body: { twofactor: code } })).status).toBe(200)
  expect((await client.call(setupTotp, {})).body, 'the session continues').toBe(false)
  expect((await elsewhere.call(setupTotp, {})).status, 'opened with the password alone').toBe(401)

  server.clock.advance(60)
  const again = server.anonymous
  const signedIn = await again.call(login, {
    body: { username: 'ada', password: PASSWORD, twofactor: codeOf(server, first.totp_key) },
  })
  again.token = signedIn.body.token
  expect((await again.call(setupTotp, {})).body).toBe(false)
})

test('a sign-in with the first code confirms the key and ends sessions opened without a code', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user({ username: 'ada', password: PASSWORD })
  const shown = (await server.as(ada).call(setupTotp, {})).body
  if (shown === false) throw new Error('no key was shown')
  const { status } = await server.anonymous.call(login, {
    body: { username: 'ada', password: PASSWORD, twofactor: codeOf(server, shown.totp_key) },
  })
  expect(status).toBe(200)
  expect((await server.as(ada).call(listOwnSessions, {})).status).toBe(401)
  const next = await server.anonymous.call(checkCredentials, {
    body: { username: 'ada', password: PASSWORD },
  })
  expect(next.body).toEqual({ totp: true })
})

test('signing in again in one browser replaces its session, and signing out ends it', async () => {
  await using server = await createTestServer()
  await server.given.user({ username: 'ada', password: PASSWORD })
  const browser = server.anonymous
  const signIn = async () => {
    const { body } = await browser.call(checkCredentials, { body: { username: 'ada', password: PASSWORD } })
    browser.token = body.token
  }
  await signIn()
  await signIn()
  expect(
    (await browser.call(listOwnSessions, {})).body.filter(({ user_agent }) => user_agent !== 'test'),
  ).toHaveLength(1)
  expect((await browser.call(logout, {})).status).toBe(200)
  expect((await browser.call(listOwnSessions, {})).status).toBe(401)
})

test('failed and successful sign-ins are audited, without the input for an unknown user', async () => {
  await using server = await createTestServer()
  await server.given.user({ username: 'ada', password: PASSWORD })
  await server.anonymous.call(checkCredentials, { body: { username: 'my-password', password: 'x' } })
  await server.anonymous.call(checkCredentials, { body: { username: 'ada', password: 'x' } })
  await server.anonymous.call(checkCredentials, { body: { username: 'ada', password: PASSWORD } })
  const rows = await server.ctx.db.selectFrom('audit_log').orderBy('id').selectAll().execute()
  expect(rows.map(({ action, username }) => [action, username])).toEqual([
    ['failed_login', ''],
    ['failed_login', 'ada'],
    ['login', 'ada'],
  ])
  expect(JSON.stringify(rows)).not.toContain('my-password')
})

function fromAddress(client: TestClient, address: string): TestClient {
  client.source = address
  return client
}

test('if password sign-in is for superusers only, others are refused by password and by code', async () => {
  await using server = await createTestServer()
  const root = await server.given.user({ username: 'root', password: PASSWORD, superuser: true })
  await server.given.user({ username: 'ada', password: PASSWORD })
  const { totpKey = '' } = await server.given.user({ username: 'bob', password: PASSWORD, totp: true })
  const keeper = await server.given.user({
    permissions: ['can_view_core_settings', 'can_edit_core_settings'],
  })
  const block = { body: { block_local_user_logon: true } }
  expect((await server.as(keeper).call(editCoreSettings, block)).status).toBe(403)
  expect((await server.as(root).call(editCoreSettings, block)).status).toBe(200)
  expect((await server.as(root).call(getDashInfo, {})).body.block_local_user_logon).toBe(true)
  const signIn = (username: string, password = PASSWORD) =>
    server.anonymous.call(checkCredentials, { body: { username, password } })
  const refused = { code: 'not_allowed', detail: 'Only superusers can sign in with a password.' }
  expect((await signIn('ada')).error).toMatchObject(refused)
  expect((await signIn('bob')).error).toMatchObject(refused)
  const twofactor = codeOf(server, totpKey)
  const byCode = { body: { username: 'bob', password: PASSWORD, twofactor } }
  expect((await server.anonymous.call(login, byCode)).error).toMatchObject(refused)
  expect((await signIn('ada', 'wrong horse')).error).toMatchObject({ code: 'bad_credentials' })
  expect((await signIn('root')).status).toBe(200)
})
