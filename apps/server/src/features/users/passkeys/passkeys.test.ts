import { deleteUser, getUser, resetUserTotp } from '@muster/contract/api/accounts'
import { listAudit } from '@muster/contract/api/audit'
import {
  addPasskey,
  deletePasskey,
  deleteUserPasskey,
  listOwnPasskeys,
  listUserPasskeys,
  MAX_PASSKEYS,
  renamePasskey,
  startPasskey,
} from '@muster/contract/api/passkeys'
import { confirmTotp, listOwnSessions, resetTotp, setupTotp } from '@muster/contract/api/sessions'
import { getMe } from '@muster/contract/api/users'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { resetPassword } from '../create-first-admin.ts'
import { insertSsoAccount } from '../../sso/test-account.ts'
import { atHost, givenPasskey, HOST, insertTestPasskey, TestAuthenticator } from './test-authenticator.ts'

const PASSWORD = 'correct horse battery'
const PROOF = { current_password: PASSWORD }

async function givenAda(server: TestServer, username = 'ada') {
  const user = await server.given.user({ username, password: PASSWORD })
  return { user, ada: atHost(server.as(user)) }
}

test('a user adds, renames and deletes passkeys, and each change is audited', async () => {
  await using server = await createTestServer()
  const { ada } = await givenAda(server)
  await givenPasskey(ada, { password: PASSWORD, name: ' Chrome on Linux ' })
  await givenPasskey(ada, { password: PASSWORD, name: 'Key ring' })
  const [first, second] = (await ada.call(listOwnPasskeys, {})).body
  expect(first).toMatchObject({
    name: 'Chrome on Linux',
    host: 'localhost',
    backed_up: true,
    last_used: null,
  })
  expect((await ada.call(getMe, {})).body.passkeys).toBe(2)

  const params = { id: first?.id ?? 0 }
  const renamed = await ada.call(renamePasskey, { params, body: { name: 'Desktop' } })
  expect(renamed.body.name).toBe('Desktop')
  const wrong = await ada.call(deletePasskey, { params, body: { current_password: 'a wrong password' } })
  expect(wrong.error.fields).toHaveProperty('current_password')
  expect((await ada.call(deletePasskey, { params, body: PROOF })).status).toBe(200)
  expect((await ada.call(listOwnPasskeys, {})).body).toEqual([second])
  expect((await ada.call(deletePasskey, { params, body: PROOF })).status).toBe(404)

  const admin = server.as(await server.given.user({ superuser: true }))
  const messages = (await admin.call(listAudit, { body: {} })).body.audit_logs.map(({ message }) => message)
  expect(messages).toEqual(
    expect.arrayContaining([
      'Added the passkey "Chrome on Linux" of "ada"',
      'Renamed the passkey "Chrome on Linux" of "ada" to "Desktop"',
      'Deleted the passkey "Desktop" of "ada"',
    ]),
  )
})

test('the browser is asked for a discoverable passkey with verification and without attestation', async () => {
  await using server = await createTestServer()
  const { ada } = await givenAda(server)
  const { id } = await givenPasskey(ada, { password: PASSWORD })
  expect((await ada.call(startPasskey, { body: PROOF })).body).toMatchObject({
    rp: { id: 'localhost', name: 'Muster' },
    user: { name: 'ada' },
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: [{ id }],
  })
})

test('adding requires the password or a code of the authenticator app', async () => {
  await using server = await createTestServer()
  const { ada } = await givenAda(server)
  const wrong = await ada.call(startPasskey, { body: { current_password: 'a wrong password' } })
  expect([wrong.status, wrong.error.fields]).toEqual([400, { current_password: [expect.any(String)] }])
  for (let count = 0; count < 4; count++)
    await ada.call(startPasskey, { body: { current_password: 'a wrong password' } })
  const blocked = await ada.call(startPasskey, { body: PROOF })
  expect([blocked.status, blocked.error.code]).toEqual([429, 'too_many_requests'])

  const bob = await server.given.user({ username: 'bob', password: PASSWORD, totp: true })
  const timestamp = server.clock.now().getTime()
  const twofactor = new TOTP({ secret: Secret.fromBase32(bob.totpKey ?? '') }).generate({ timestamp })
  const elsewhere = atHost(server.as(bob))
  elsewhere.source = '192.0.2.7'
  expect((await elsewhere.call(startPasskey, { body: { twofactor } })).status).toBe(200)
})

test.each([
  ['another page', { origin: 'http://evil.example' }],
  ['another server', { host: 'evil.example' }],
  ['another challenge', { challenge: 'bm90IHRoZSBjaGFsbGVuZ2U' }],
  ['a signature instead of a new passkey', { type: 'webauthn.get' }],
  ['no verification of the user', { isVerified: false }],
  ['an attestation with certificates', { format: 'packed', statement: new Map([['x5c', [] as never]]) }],
  ['an attestation of a TPM', { format: 'tpm' }],
  ['an unknown format', { format: 'nosuchformat' }],
])('a passkey for %s is refused', async (_, ceremony) => {
  await using server = await createTestServer()
  const { ada } = await givenAda(server)
  const options = (await ada.call(startPasskey, { body: PROOF })).body
  const { status, error } = await ada.call(addPasskey, {
    body: new TestAuthenticator().create(options, ceremony),
  })
  expect([status, error.code]).toEqual([400, 'invalid'])
  expect((await ada.call(listOwnPasskeys, {})).body).toEqual([])
})

test('a challenge adds one passkey, for its user, within five minutes', async () => {
  await using server = await createTestServer()
  const { ada } = await givenAda(server)
  const { ada: eve } = await givenAda(server, 'eve')
  const start = async () => (await ada.call(startPasskey, { body: PROOF })).body

  const used = await start()
  const answers = await Promise.all(
    [0, 1, 2].map(() => ada.call(addPasskey, { body: new TestAuthenticator().create(used) })),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400])

  const stolen = new TestAuthenticator().create(await start())
  expect((await eve.call(addPasskey, { body: stolen })).error.code).toBe('invalid')

  const late = new TestAuthenticator().create(await start())
  server.clock.advance(5 * 60)
  expect((await ada.call(addPasskey, { body: late })).error.code).toBe('invalid')
  expect((await ada.call(listOwnPasskeys, {})).body).toHaveLength(1)
})

test('two users cannot register the same passkey', async () => {
  await using server = await createTestServer()
  const { ada } = await givenAda(server)
  const { ada: eve } = await givenAda(server, 'eve')
  const { id } = await givenPasskey(ada, { password: PASSWORD })
  const copy = new TestAuthenticator()
  copy.id = id
  const options = (await eve.call(startPasskey, { body: PROOF })).body
  const { status, error } = await eve.call(addPasskey, { body: copy.create(options) })
  expect([status, error.detail]).toEqual([409, 'This passkey is registered already.'])
})

test('malformed and huge input is refused, and changes nothing', async () => {
  await using server = await createTestServer()
  const { ada } = await givenAda(server)
  const options = (await ada.call(startPasskey, { body: PROOF })).body
  const good = new TestAuthenticator().create(options)
  const bytes = (length: number) => Buffer.alloc(length, 0xff).toString('base64url')
  const hostile = [
    { ...good, client_data: bytes(100) },
    { ...good, client_data: Buffer.from('null').toString('base64url') },
    { ...good, client_data: Buffer.from('{"challenge":{}}').toString('base64url') },
    { ...good, client_data: 'A'.repeat(10_000) },
    { ...good, attestation: 'A'.repeat(50_000) },
    { ...good, attestation: 'not base64url!' },
    { ...good, id: 'A'.repeat(2000) },
    { ...good, name: ' ' },
    { ...good, name: 'x'.repeat(61) },
  ]
  for (const body of hostile) expect((await ada.call(addPasskey, { body })).status).toBe(400)
  for (const attestation of [bytes(1), bytes(10_000), Buffer.from([0xa0]).toString('base64url')]) {
    const next = (await ada.call(startPasskey, { body: PROOF })).body
    const body = { ...new TestAuthenticator().create(next), attestation }
    expect((await ada.call(addPasskey, { body })).status).toBe(400)
  }
  const huge = await ada.send({
    method: 'POST',
    url: '/accounts/passkeys/',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ ...good, name: 'x'.repeat(2_000_000) }),
  })
  expect(huge.status).toBe(413)
  expect((await ada.call(listOwnPasskeys, {})).body).toEqual([])
  expect((await ada.call(addPasskey, { body: good })).status, 'the challenge is still good').toBe(200)
})

test('at an IP address, passkeys are refused with the reason', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user({ password: PASSWORD }))
  const { status, error } = await ada.call(startPasskey, { body: PROOF })
  expect([status, error.detail]).toEqual([
    409,
    'Passkeys do not work at an IP address. Open this server at its host name in a browser.',
  ])
})

test('a user has at most 20 passkeys', async () => {
  await using server = await createTestServer()
  const { user, ada } = await givenAda(server)
  await givenPasskey(ada, { password: PASSWORD })
  const options = (await ada.call(startPasskey, { body: PROOF })).body
  for (let count = 1; count < MAX_PASSKEYS; count++) {
    const id = await insertTestPasskey(server.ctx, user.id)
    const credential_id = `another-${count}`
    await server.ctx.db.updateTable('passkeys').set({ credential_id }).where('id', '=', id).execute()
  }
  const refused = [
    await ada.call(addPasskey, { body: new TestAuthenticator().create(options) }),
    await ada.call(startPasskey, { body: PROOF }),
  ]
  for (const { status, error } of refused)
    expect([status, error.detail]).toEqual([409, 'You have 20 passkeys. Delete one of them first.'])
})

test('the first second factor ends the other sessions, and voids a TOTP key that they may have seen', async () => {
  await using server = await createTestServer()
  const { user, ada } = await givenAda(server)
  const thief = server.as(await server.given.anotherSignIn(user))
  const seen = (await thief.call(setupTotp, {})).body
  await givenPasskey(ada, { password: PASSWORD })
  expect((await thief.call(listOwnSessions, {})).status).toBe(401)
  expect((await ada.call(listOwnSessions, {})).body).toHaveLength(1)
  expect((await ada.call(setupTotp, {})).body).not.toEqual(seen)

  const other = server.as(await server.given.anotherSignIn(user))
  await givenPasskey(ada, { password: PASSWORD })
  expect((await other.call(listOwnSessions, {})).status, 'there was a second factor before').toBe(200)
})

test('a user who must set up a second factor may add a passkey instead of an authenticator app', async () => {
  await using server = await createTestServer()
  const user = await server.given.user({ password: PASSWORD, totpRequired: true })
  const ada = atHost(server.as(user))
  expect((await ada.call(listOwnPasskeys, {})).error.code).toBe('totp_required')
  await givenPasskey(ada, { password: PASSWORD })
  const [passkey] = (await ada.call(listOwnPasskeys, {})).body
  await ada.call(deletePasskey, { params: { id: passkey?.id ?? 0 }, body: PROOF })
  expect((await ada.call(listOwnPasskeys, {})).error.code).toBe('totp_required')
})

test('users see and change their own passkeys only', async () => {
  await using server = await createTestServer()
  const { ada } = await givenAda(server)
  const { ada: eve } = await givenAda(server, 'eve')
  await givenPasskey(ada, { password: PASSWORD })
  const [passkey] = (await ada.call(listOwnPasskeys, {})).body
  const params = { id: passkey?.id ?? 0 }
  expect((await eve.call(listOwnPasskeys, {})).body).toEqual([])
  expect((await eve.call(renamePasskey, { params, body: { name: 'Mine' } })).status).toBe(404)
  expect((await eve.call(deletePasskey, { params, body: PROOF })).status).toBe(404)
  expect((await ada.call(listOwnPasskeys, {})).body).toEqual([passkey])
})

test('administrators see and delete passkeys of users without more permissions, whose sessions end', async () => {
  await using server = await createTestServer()
  const { user, ada } = await givenAda(server)
  await givenPasskey(ada, { password: PASSWORD })
  const root = await server.given.user({ superuser: true, password: PASSWORD })
  await givenPasskey(atHost(server.as(root)), { password: PASSWORD })
  const admin = server.as(
    await server.given.user({ permissions: ['can_list_accounts', 'can_manage_accounts'] }),
  )
  const listOf = (id: number) => admin.call(listUserPasskeys, { params: { id } })
  const [passkey] = (await listOf(user.id)).body
  expect(passkey?.name).toBe('Laptop')
  expect((await admin.call(getUser, { params: { id: user.id } })).body.passkeys).toBe(1)
  expect((await listOf(root.id)).status).toBe(403)
  const [foreign] = (await server.as(root).call(listOwnPasskeys, {})).body
  const remove = (id: number, passkey_id = 0) => admin.call(deleteUserPasskey, { params: { id, passkey_id } })
  expect((await remove(root.id, foreign?.id)).status).toBe(403)
  expect((await remove(user.id, foreign?.id)).status).toBe(404)
  expect((await remove(user.id, passkey?.id)).status).toBe(200)
  expect((await listOf(user.id)).body).toEqual([])
  expect((await ada.call(listOwnSessions, {})).status).toBe(401)
})

test.each(['an administrator', 'the command line', 'deleting the user'])(
  'a reset of two-factor sign-in by %s deletes the passkeys',
  async (who) => {
    await using server = await createTestServer()
    const { user, ada } = await givenAda(server)
    await givenPasskey(ada, { password: PASSWORD })
    const admin = server.as(await server.given.user({ superuser: true }))
    if (who === 'an administrator') await admin.call(resetUserTotp, { body: { id: user.id } })
    else if (who === 'the command line') await resetPassword(server.ctx, 'ada')
    else await admin.call(deleteUser, { params: { id: user.id } })
    expect(await server.ctx.db.selectFrom('passkeys').selectAll().execute()).toEqual([])
  },
)

test('resetting the own authenticator app keeps the passkeys', async () => {
  await using server = await createTestServer()
  const { ada } = await givenAda(server)
  await givenPasskey(ada, { password: PASSWORD })
  const shown = (await ada.call(setupTotp, {})).body
  if (shown === false) throw new Error('no key was shown')
  const timestamp = server.clock.now().getTime()
  const twofactor = new TOTP({ secret: Secret.fromBase32(shown.totp_key) }).generate({ timestamp })
  await ada.call(confirmTotp, { body: { twofactor } })
  await ada.call(resetTotp, { body: PROOF })
  expect((await ada.call(getMe, {})).body).toMatchObject({ totp: false, passkeys: 1 })
})

test('users of a provider add no passkeys', async () => {
  await using server = await createTestServer()
  const { user, ada } = await givenAda(server)
  await insertSsoAccount(server.ctx, user.id)
  expect((await ada.call(startPasskey, { body: PROOF })).status).toBe(403)
})

test('at another host name there are other passkeys', async () => {
  await using server = await createTestServer({
    env: { MUSTER_HOST: '127.0.0.1', MUSTER_PUBLIC_URL: 'https://muster.example.com' },
  })
  const user = await server.given.user({ password: PASSWORD, totp: true })
  const ada = server.as(user)
  ada.headers = { host: 'muster.example.com', origin: 'https://muster.example.com' }
  const { body } = await ada.call(startPasskey, { body: PROOF })
  expect(body.rp.id).toBe('muster.example.com')
  ada.headers = { host: HOST, origin: 'http://evil.example' }
  expect((await ada.call(startPasskey, { body: PROOF })).error.code).toBe('bad_origin')
})
