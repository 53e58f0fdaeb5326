import { editUser } from '@muster/contract/api/accounts'
import { startPasskeySignIn, signInWithPasskey } from '@muster/contract/api/passkeys'
import {
  checkCredentials,
  listOwnSessions,
  listOwnSignIns,
  login,
  type PasskeyRequest,
} from '@muster/contract/api/sessions'
import { editCoreSettings } from '@muster/contract/api/settings'
import { getMe } from '@muster/contract/api/users'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { atHost, givenPasskey, type TestAuthenticator } from './test-authenticator.ts'

const PASSWORD = 'correct horse battery'

async function givenUser(
  server: TestServer,
  options: Parameters<TestServer['given']['user']>[0] & { counter?: number } = {},
) {
  const { counter = 0, ...user } = options
  const made = await server.given.user({ username: 'ada', password: PASSWORD, ...user })
  const ada = atHost(server.as(made))
  const passkey = await givenPasskey(ada, { password: PASSWORD, counter })
  return { user: made, ada, passkey }
}

type Ceremony = Parameters<TestAuthenticator['sign']>[1]

const start = async (server: TestServer) => (await atHost(server.anonymous).call(startPasskeySignIn, {})).body

function finish(
  server: TestServer,
  passkey: TestAuthenticator,
  request: PasskeyRequest,
  ceremony?: Ceremony,
) {
  return atHost(server.anonymous).call(signInWithPasskey, { body: passkey.sign(request, ceremony) })
}

const signIn = async (server: TestServer, passkey: TestAuthenticator, ceremony?: Ceremony) =>
  finish(server, passkey, await start(server), ceremony)

const enterPassword = (server: TestServer, username = 'ada') =>
  atHost(server.anonymous).call(checkCredentials, { body: { username, password: PASSWORD } })

const REFUSED = {
  code: 'bad_credentials',
  detail: 'This passkey does not sign you in. Sign in with your password.',
}

test('a passkey alone signs in, and counts as both factors', async () => {
  await using server = await createTestServer()
  const { user, passkey } = await givenUser(server)
  const request = await start(server)
  expect(request).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] })
  const browser = atHost(server.anonymous)
  const { body } = await browser.call(signInWithPasskey, { body: passkey.sign(request) })
  expect(body).toMatchObject({ totp: true, username: 'ada' })
  browser.token = body.token
  expect((await browser.call(getMe, {})).body.id).toBe(user.id)
  const [newest] = (await browser.call(listOwnSignIns, {})).body
  expect(newest).toMatchObject({ succeeded: true, method: 'passkey' })
  const sessions = await server.ctx.db.selectFrom('sessions').select(['source', 'code_at']).execute()
  expect(sessions).toContainEqual({ source: '127.0.0.1', code_at: expect.any(String) as string })
  const [row] = await server.ctx.db.selectFrom('passkeys').select('last_used_at').execute()
  expect(row?.last_used_at).not.toBeNull()
})

test('with a passkey, the password alone opens no session; the passkey is the second factor', async () => {
  await using server = await createTestServer()
  const { passkey } = await givenUser(server)
  const { body, headers } = await enterPassword(server)
  expect(headers['set-cookie']).toBeUndefined()
  expect(body).toEqual({
    totp: true,
    passkey: {
      or_code: false,
      request: expect.objectContaining({
        userVerification: 'preferred',
        allowCredentials: [{ id: passkey.id, type: 'public-key', transports: ['internal'] }],
      }) as PasskeyRequest,
    },
  })
  if (body.passkey === undefined) throw new Error('no passkey was asked for')
  const answer = await finish(server, passkey, body.passkey.request, { isVerified: false })
  expect(answer.body).toMatchObject({ totp: true, username: 'ada' })
})

test('a user with both may use the passkey or the code', async () => {
  await using server = await createTestServer()
  const { user, passkey } = await givenUser(server, { totp: true })
  const { body } = await enterPassword(server)
  if (body.passkey === undefined) throw new Error('no passkey was asked for')
  expect(body.passkey.or_code).toBe(true)
  expect((await finish(server, passkey, body.passkey.request)).status).toBe(200)
  const timestamp = server.clock.now().getTime()
  const twofactor = new TOTP({ secret: Secret.fromBase32(user.totpKey ?? '') }).generate({ timestamp })
  const byCode = { username: 'ada', password: PASSWORD, twofactor }
  expect((await server.anonymous.call(login, { body: byCode })).status).toBe(200)
})

test('the passkey of another user is no second factor', async () => {
  await using server = await createTestServer()
  await givenUser(server)
  const { passkey: other } = await givenUser(server, { username: 'eve' })
  const { body } = await enterPassword(server)
  if (body.passkey === undefined) throw new Error('no passkey was asked for')
  const answer = await finish(server, other, body.passkey.request)
  expect([answer.status, answer.error]).toEqual([400, expect.objectContaining(REFUSED)])
})

test.each<[string, Ceremony]>([
  ['another page', { origin: 'http://evil.example' }],
  ['another port of the host', { origin: 'http://localhost:9999' }],
  ['another server', { host: 'evil.example' }],
  ['a new passkey', { type: 'webauthn.create' }],
  ['no verification of the user', { isVerified: false }],
])('a signature for %s does not sign in', async (_, ceremony) => {
  await using server = await createTestServer()
  const { passkey, ada } = await givenUser(server)
  const answer = await signIn(server, passkey, ceremony)
  expect([answer.status, answer.error]).toEqual([400, expect.objectContaining(REFUSED)])
  const [newest] = (await ada.call(listOwnSignIns, {})).body
  expect(newest).toMatchObject({ succeeded: false, method: 'passkey', reason: 'wrong_passkey' })
})

test('of ten concurrent uses of a challenge one signs in, and none after five minutes', async () => {
  await using server = await createTestServer()
  const { passkey } = await givenUser(server)
  const request = await start(server)
  const answers = await Promise.all(Array.from({ length: 10 }, () => finish(server, passkey, request)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const late = await start(server)
  server.clock.advance(5 * 60)
  const { status, error } = await finish(server, passkey, late)
  expect([status, error.detail]).toEqual([400, 'This request has expired or was used before. Try again.'])
  await server.ctx.jobs.drain()
  server.clock.advance(60)
  await server.ctx.jobs.drain()
  expect(await server.ctx.db.selectFrom('passkey_challenges').selectAll().execute()).toEqual([])
})

test('a challenge of the server, not an invented one, is signed', async () => {
  await using server = await createTestServer()
  const { passkey } = await givenUser(server)
  const answer = await signIn(server, passkey, { challenge: 'bm90IHRoZSBjaGFsbGVuZ2U' })
  expect([answer.status, answer.error.code]).toEqual([400, 'invalid'])
})

test('the counter of a copied passkey is refused, and recorded', async () => {
  await using server = await createTestServer()
  const { passkey, ada } = await givenUser(server, { counter: 7 })
  expect((await signIn(server, passkey)).status).toBe(200)
  for (const counter of [4, 0]) {
    passkey.counter = counter
    const answer = await signIn(server, passkey)
    expect([counter, answer.status, answer.error]).toEqual([counter, 400, expect.objectContaining(REFUSED)])
  }
  const [newest] = (await ada.call(listOwnSignIns, {})).body
  expect(newest).toMatchObject({ succeeded: false, reason: 'copied_passkey' })
  passkey.counter = 2 ** 31 + 5
  expect((await signIn(server, passkey)).status, 'beyond 32 bits with a sign').toBe(200)
})

test('unknown passkeys and malformed input are refused, and slowed down like passwords', async () => {
  await using server = await createTestServer()
  const { passkey } = await givenUser(server)
  const hostile = ['', 'not base64url!', 'A'.repeat(5000)]
  const good = passkey.sign(await start(server))
  for (const text of hostile)
    for (const field of ['id', 'client_data', 'authenticator_data', 'signature'] as const) {
      const body = { ...good, [field]: text }
      expect((await atHost(server.anonymous).call(signInWithPasskey, { body })).status).toBe(400)
    }
  for (const change of [{ signature: 'AAAA' }, { authenticator_data: 'AAAA' }, { user_handle: 'AAAA' }]) {
    const body = { ...passkey.sign(await start(server)), ...change }
    const answer = await atHost(server.anonymous).call(signInWithPasskey, { body })
    expect(answer.error).toMatchObject(REFUSED)
  }
  for (let count = 0; count < 2; count++) {
    const body = { ...passkey.sign(await start(server)), id: 'nosuchpasskey' }
    expect((await atHost(server.anonymous).call(signInWithPasskey, { body })).error).toMatchObject(REFUSED)
  }
  const blocked = await signIn(server, passkey)
  expect([blocked.status, blocked.error.code]).toEqual([429, 'too_many_requests'])
})

test('a network has a limited number of unanswered challenges', async () => {
  await using server = await createTestServer()
  for (let count = 0; count < 200; count++) await start(server)
  const { status, error } = await atHost(server.anonymous).call(startPasskeySignIn, {})
  expect([status, error.code]).toEqual([429, 'too_many_requests'])
  const elsewhere = atHost(server.anonymous)
  elsewhere.source = '192.0.2.7'
  expect((await elsewhere.call(startPasskeySignIn, {})).status).toBe(200)
})

test('blocked users and users for programs are refused', async () => {
  await using server = await createTestServer()
  const { user, passkey } = await givenUser(server)
  const root = server.as(await server.given.user({ superuser: true }))
  const change = (body: object) => root.call(editUser, { params: { id: user.id }, body })
  await change({ is_active: false })
  expect((await signIn(server, passkey)).error).toMatchObject(REFUSED)
  await change({ is_active: true, block_dashboard_login: true })
  const { status, error } = await signIn(server, passkey)
  expect([status, error.detail]).toEqual([403, 'This user is for programs only and cannot sign in.'])
  await change({ block_dashboard_login: false })
  expect((await signIn(server, passkey)).status).toBe(200)
})

test('if only superusers sign in without a provider, passkeys of others are refused', async () => {
  await using server = await createTestServer()
  const { passkey } = await givenUser(server)
  const { passkey: ofRoot, ada: root } = await givenUser(server, { username: 'root', superuser: true })
  await root.call(editCoreSettings, { body: { block_local_user_logon: true } })
  const { status, error } = await signIn(server, passkey)
  expect([status, error.detail]).toEqual([403, 'Only superusers can sign in with a passkey.'])
  expect((await signIn(server, ofRoot)).status).toBe(200)
})

test('a user who must change the password changes it after a passkey too', async () => {
  await using server = await createTestServer()
  const { user, passkey } = await givenUser(server)
  const root = server.as(await server.given.user({ superuser: true }))
  await root.call(editUser, { params: { id: user.id }, body: { must_change_password: true } })
  const browser = atHost(server.anonymous)
  const { body } = await browser.call(signInWithPasskey, { body: passkey.sign(await start(server)) })
  expect(body.must_change_password).toBe(true)
  browser.token = body.token
  expect((await browser.call(listOwnSessions, {})).error.code).toBe('password_change_required')
})

test('ending the sessions of a user ends a sign-in halfway', async () => {
  await using server = await createTestServer()
  const { user, passkey } = await givenUser(server)
  const { body } = await enterPassword(server)
  if (body.passkey === undefined) throw new Error('no passkey was asked for')
  const root = server.as(await server.given.user({ superuser: true }))
  const params = { id: user.id }
  await root.call(editUser, { params, body: { is_active: false } })
  await root.call(editUser, { params, body: { is_active: true } })
  expect((await finish(server, passkey, body.passkey.request)).error.code).toBe('invalid')
})

test('at an address where no passkey works, the user reads where they do', async () => {
  await using server = await createTestServer()
  await givenUser(server)
  const atAddress = await server.anonymous.call(checkCredentials, {
    body: { username: 'ada', password: PASSWORD },
  })
  expect([atAddress.status, atAddress.error.detail]).toEqual([
    403,
    'Your passkeys work at localhost only. Open this server there.',
  ])
  await givenUser(server, { username: 'bob', totp: true })
  const { body } = await server.anonymous.call(checkCredentials, {
    body: { username: 'bob', password: PASSWORD },
  })
  expect(body).toEqual({ totp: true })
  const { status, error } = await server.anonymous.call(startPasskeySignIn, {})
  expect([status, error.code]).toEqual([409, 'conflict'])
})
