import { createUser } from '@muster/contract/api/accounts'
import { createApiKey } from '@muster/contract/api/api-keys'
import { checkCredentials, confirmSession, resetPassword, setupTotp } from '@muster/contract/api/sessions'
import { editCoreSettings } from '@muster/contract/api/settings'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import type { TestClient } from '../../../testing/test-client.ts'
import type { TestUser } from '../../../testing/test-given.ts'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'

const MINUTE = 60
const PASSWORD = 'correct horse battery'

async function givenOldSession(server: TestServer, more: { totp?: boolean } = {}) {
  const user = await server.given.user({ username: 'ada', password: PASSWORD, superuser: true, ...more })
  server.clock.advance(15 * MINUTE)
  return { user, ada: server.as(user) }
}

const addKey = (client: TestClient, user: TestUser) =>
  client.call(createApiKey, { body: { name: 'Grafana', user: user.id } })

/** The code of the user's app. */
function codeOf({ totpKey = '' }: TestUser, server: TestServer): string {
  return new TOTP({ secret: Secret.fromBase32(totpKey) }).generate({
    timestamp: server.clock.now().getTime(),
  })
}

test('fifteen minutes after a sign-in, a key is made only after a proof, which lasts as long', async () => {
  await using server = await createTestServer()
  await server.given.user({ username: 'ada', password: PASSWORD, superuser: true })
  const ada = server.anonymous
  const signIn = await ada.call(checkCredentials, { body: { username: 'ada', password: PASSWORD } })
  ada.token = signIn.body.token
  const addUser = (username: string) =>
    ada.call(createUser, { body: { username, block_dashboard_login: true } })
  server.clock.advance(14 * MINUTE)
  expect((await addUser('one')).status).toBe(200)

  server.clock.advance(MINUTE)
  const refused = await addUser('two')
  expect([refused.status, refused.error.code]).toEqual([403, 'proof_needed'])
  expect(refused.error.detail).toBe('Confirm who you are first, with your password.')
  const { body } = await ada.call(confirmSession, { body: { current_password: PASSWORD } })
  const minutesLeft = (Date.parse(body.until) - server.clock.now().getTime()) / 60_000
  expect(Math.round(minutesLeft)).toBe(15)
  expect((await addUser('two')).status).toBe(200)
  server.clock.advance(15 * MINUTE)
  expect((await addUser('three')).error.code).toBe('proof_needed')
})

test('a refused request changes nothing, and can be repeated with its idempotency key', async () => {
  await using server = await createTestServer()
  const { ada, user } = await givenOldSession(server)
  ada.headers['idempotency-key'] = 'once'
  expect((await addKey(ada, user)).error.code).toBe('proof_needed')
  expect(await server.ctx.db.selectFrom('api_keys').select('id').execute()).toEqual([])
  delete ada.headers['idempotency-key']
  expect((await ada.call(confirmSession, { body: { current_password: PASSWORD } })).status).toBe(200)
  ada.headers['idempotency-key'] = 'once'
  expect((await addKey(ada, user)).status).toBe(200)
})

test('a code is a proof too, and works once', async () => {
  await using server = await createTestServer()
  const { ada, user } = await givenOldSession(server, { totp: true })
  const refused = await addKey(ada, user)
  expect(refused.error.detail).toBe('Confirm who you are first, with your password or a code.')
  const twofactor = codeOf(user, server)
  expect((await ada.call(confirmSession, { body: { twofactor } })).status).toBe(200)
  expect((await addKey(ada, user)).status).toBe(200)
  expect((await ada.call(confirmSession, { body: { twofactor } })).error.detail).toMatch(
    /^This code was used/,
  )
})

test('a password is no second factor for remote tools', async () => {
  await using server = await createTestServer()
  const { ada } = await givenOldSession(server, { totp: true })
  await ada.call(confirmSession, { body: { current_password: PASSWORD } })
  const session = await server.ctx.db.selectFrom('sessions').select(['code_at', 'proved_at']).execute()
  expect(session).toEqual([{ code_at: null, proved_at: expect.any(String) as string }])
})

test('the proof in a change of the own password counts too', async () => {
  await using server = await createTestServer()
  const { ada, user } = await givenOldSession(server)
  const body = { password: 'kites fly over there', current_password: PASSWORD }
  expect((await ada.call(resetPassword, { body })).status).toBe(200)
  expect((await addKey(ada, user)).status).toBe(200)
})

test('a proof is needed by a body that is invalid as well, but not by a user without the right', async () => {
  await using server = await createTestServer()
  const { ada } = await givenOldSession(server)
  const invalid = await ada.send({ method: 'POST', url: '/accounts/apikeys/', payload: { name: [] } })
  expect(invalid.error.code).toBe('proof_needed')
  const weak = await server.given.user()
  server.clock.advance(15 * MINUTE)
  expect((await addKey(server.as(weak), weak)).error.code).toBe('not_allowed')
})

test('wrong passwords are throttled without locking the owner out of signing in', async () => {
  await using server = await createTestServer()
  const { ada, user } = await givenOldSession(server)
  const guess = (current_password: string) => ada.call(confirmSession, { body: { current_password } })
  for (const word of ['one', 'two', 'three', 'four', 'five']) {
    const { status, error } = await guess(word)
    expect([status, Object.keys(error.fields ?? {})]).toEqual([400, ['current_password']])
  }
  expect((await guess(PASSWORD)).status).toBe(429)
  expect((await ada.call(confirmSession, { body: { twofactor: '123456' } })).status).toBe(429)
  expect((await addKey(ada, user)).error.code).toBe('proof_needed')
  const body = { username: 'ada', password: PASSWORD }
  expect((await server.anonymous.call(checkCredentials, { body })).status).toBe(200)
  const audited = await server.ctx.db
    .selectFrom('audit_log')
    .where('action', '=', 'failed_login')
    .select('message')
    .execute()
  expect(audited[0]?.message).toBe('Failed to confirm "ada" with the password')
})

test('the proof of another session does not help', async () => {
  await using server = await createTestServer()
  const { ada: thief, user } = await givenOldSession(server)
  const owner = await server.given.anotherSignIn(user)
  expect((await addKey(server.as(owner), user)).status).toBe(200)
  await server.as(owner).call(confirmSession, { body: { current_password: PASSWORD } })
  expect((await addKey(thief, user)).error.code).toBe('proof_needed')
})

test('a session of before the update counts as not proved', async () => {
  await using server = await createTestServer()
  const user = await server.given.user({ superuser: true })
  await server.ctx.db.updateTable('sessions').set({ proved_at: null }).execute()
  expect((await addKey(server.as(user), user)).error.code).toBe('proof_needed')
})

test('a blocked user proves nothing', async () => {
  await using server = await createTestServer()
  const { ada, user } = await givenOldSession(server)
  await server.ctx.db.updateTable('users').set({ is_active: 0 }).where('id', '=', user.id).execute()
  expect((await ada.call(confirmSession, { body: { current_password: PASSWORD } })).status).toBe(401)
})

test('API keys are not asked', async () => {
  await using server = await createTestServer()
  const { user } = await givenOldSession(server)
  const program = server.withKey(await server.given.apiKey(user))
  const { status } = await program.call(editCoreSettings, { body: { check_history_prune_days: 8 } })
  expect(status).toBe(200)
})

test('a stolen session cannot set up a second factor and prove itself with it', async () => {
  await using server = await createTestServer()
  const { ada } = await givenOldSession(server)
  expect((await ada.call(setupTotp, {})).error.code).toBe('proof_needed')
  await server.ctx.db.updateTable('users').set({ totp_key: null, totp_confirmed: 0 }).execute()
  const { error } = await ada.call(confirmSession, { body: { twofactor: '123456' } })
  expect(error.code).toBe('conflict')
})

test('a user whose second factor is not set up yet proves with the password', async () => {
  await using server = await createTestServer({ env: { MUSTER_HOST: '0.0.0.0' } })
  const { ada } = await givenOldSession(server)
  expect((await ada.call(setupTotp, {})).error.code).toBe('proof_needed')
  expect((await ada.call(confirmSession, { body: { current_password: PASSWORD } })).status).toBe(200)
  expect((await ada.call(setupTotp, {})).status).toBe(200)
})
