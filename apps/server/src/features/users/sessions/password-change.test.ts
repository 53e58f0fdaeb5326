import { createUser, editUser, getUser, resetUserPassword } from '@muster/contract/api/accounts'
import { listAudit } from '@muster/contract/api/audit'
import { checkCredentials, confirmTotp, resetPassword, setupTotp } from '@muster/contract/api/sessions'
import { getVersion } from '@muster/contract/api/system'
import { getMe } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { resetPassword as resetOnServer } from '../create-first-admin.ts'

const PASSWORD = 'battery of staples'
const NEXT = 'kites fly over there'

async function givenRoot(server: TestServer) {
  return server.as(await server.given.user({ username: 'root', superuser: true }))
}

/** A browser after the first step of signing in. */
async function signIn(server: TestServer, username: string, password: string) {
  const browser = server.anonymous
  const { body } = await browser.call(checkCredentials, { body: { username, password } })
  browser.token = body.token
  return { browser, body }
}

test('a user with a required password change does nothing else until it is done', async () => {
  await using server = await createTestServer()
  const root = await givenRoot(server)
  const body = { username: 'eve', password: PASSWORD, must_change_password: true, is_superuser: true }
  const { id, must_change_password } = (await root.call(createUser, { body })).body
  expect(must_change_password).toBe(true)

  const { browser, body: signedIn } = await signIn(server, 'eve', PASSWORD)
  expect(signedIn).toMatchObject({ username: 'eve', must_change_password: true })
  expect((await browser.call(getVersion, {})).error).toMatchObject({
    code: 'password_change_required',
    detail: 'Change your password before anything else.',
  })
  expect((await browser.call(setupTotp, {})).error.code).toBe('password_change_required')
  expect((await browser.call(getMe, {})).body.username).toBe('eve')

  const change = (password: string, current_password = PASSWORD) =>
    browser.call(resetPassword, { body: { password, current_password } })
  expect((await change(NEXT, 'not the password')).error.fields).toHaveProperty('current_password')
  expect((await change(PASSWORD)).error.fields).toEqual({
    password: ['This is your current password. Choose another one.'],
  })
  expect((await browser.call(getVersion, {})).status).toBe(403)
  expect((await change(NEXT)).status).toBe(200)
  expect((await browser.call(getVersion, {})).status).toBe(200)
  expect((await root.call(getUser, { params: { id } })).body.must_change_password).toBe(false)
  expect((await signIn(server, 'eve', NEXT)).body).not.toHaveProperty('must_change_password')
})

test('open sessions and API keys of the user keep working', async () => {
  await using server = await createTestServer()
  server.clock.freeze('2026-11-27T12:00:00.000Z')
  const root = await givenRoot(server)
  const eve = await server.given.user({ username: 'eve', password: PASSWORD, superuser: true })
  const key = await server.given.apiKey(eve)
  server.clock.advance(1)
  const params = { id: eve.id }
  const changed = await root.call(editUser, { params, body: { must_change_password: true } })
  expect(changed.body.must_change_password).toBe(true)
  expect((await server.as(eve).call(getVersion, {})).status).toBe(200)
  expect((await server.withKey(key).call(getVersion, {})).status).toBe(200)
  const { browser } = await signIn(server, 'eve', PASSWORD)
  expect((await browser.call(getVersion, {})).error.code).toBe('password_change_required')
  expect((await server.withKey(key).call(getVersion, {})).status).toBe(200)
  await root.call(editUser, { params, body: { must_change_password: false } })
  expect((await browser.call(getVersion, {})).status).toBe(200)
})

test('a reset can require a change, and both are in the audit log', async () => {
  await using server = await createTestServer()
  const root = await givenRoot(server)
  const { id } = await server.given.user({ username: 'eve', password: PASSWORD })
  await root.call(resetUserPassword, { body: { id, password: NEXT, must_change_password: true } })
  const { browser, body } = await signIn(server, 'eve', NEXT)
  expect(body.must_change_password).toBe(true)
  await browser.call(resetPassword, { body: { password: PASSWORD, current_password: NEXT } })
  await root.call(editUser, { params: { id }, body: { must_change_password: true } })
  const { audit_logs } = (await root.call(listAudit, { body: { actionFilter: ['modify'] } })).body
  expect(audit_logs.map(({ message }) => message)).toEqual([
    'Changed the user "eve"',
    'Changed the password of "eve"',
    'Reset the password of "eve", who must change it at the next sign-in',
  ])
  expect(audit_logs[0]).toMatchObject({
    before_value: { must_change_password: false },
    after_value: { must_change_password: true },
  })
  await resetOnServer(server.ctx, 'eve')
  expect((await root.call(getUser, { params: { id } })).body.must_change_password).toBe(false)
})

test('the password is changed before two-factor sign-in is set up', async () => {
  await using server = await createTestServer()
  const eve = await server.given.user({
    username: 'eve',
    password: PASSWORD,
    totpRequired: true,
    fields: { must_change_password_since: '2020-01-01T00:00:00.000Z' },
  })
  const asEve = server.as(eve)
  const confirm = () => asEve.call(confirmTotp, { body: { twofactor: '123456' } })
  expect((await confirm()).error.code).toBe('password_change_required')
  const body = { password: NEXT, current_password: PASSWORD }
  expect((await asEve.call(resetPassword, { body })).status).toBe(200)
  expect((await asEve.call(getVersion, {})).error.code).toBe('totp_required')
  expect((await asEve.call(resetPassword, { body })).error.code).toBe('totp_required')
  expect((await asEve.call(setupTotp, {})).status).toBe(200)
})
