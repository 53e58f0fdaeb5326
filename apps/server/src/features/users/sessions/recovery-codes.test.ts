import { resetUserTotp } from '@muster/contract/api/accounts'
import {
  confirmTotp,
  createRecoveryCodes,
  listOwnSessions,
  login,
  resetTotp,
  setupTotp,
} from '@muster/contract/api/sessions'
import { listAudit } from '@muster/contract/api/audit'
import { getMe } from '@muster/contract/api/users'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { resetPassword } from '../create-first-admin.ts'

const PASSWORD = 'correct horse battery'

/** A user who has just set up two-factor sign-in, and the codes that this showed. */
async function givenCodes(server: TestServer) {
  const user = await server.given.user({ username: 'ada', password: PASSWORD })
  const ada = server.as(user)
  const shown = (await ada.call(setupTotp, {})).body
  if (shown === false) throw new Error('no key was shown')
  const timestamp = server.clock.now().getTime()
  const twofactor = new TOTP({ secret: Secret.fromBase32(shown.totp_key) }).generate({ timestamp })
  const { recovery_codes: codes } = (await ada.call(confirmTotp, { body: { twofactor } })).body
  return { user, ada, codes }
}

function signIn(server: TestServer, twofactor: string, password = PASSWORD) {
  return server.anonymous.call(login, { body: { username: 'ada', password, twofactor } })
}

const countLeft = async ({ ada }: Awaited<ReturnType<typeof givenCodes>>) =>
  (await ada.call(getMe, {})).body.recovery_codes

test('the set-up shows ten codes, and each signs in once instead of a TOTP code', async () => {
  await using server = await createTestServer()
  const given = await givenCodes(server)
  const [first = '', second = ''] = given.codes
  expect(new Set(given.codes).size).toBe(10)
  for (const code of given.codes) expect(code).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}$/)
  expect(await countLeft(given)).toBe(10)
  const { body } = await signIn(server, first)
  expect(body).toMatchObject({ totp: true, username: 'ada', recovery_codes_left: 9 })
  const again = await signIn(server, first)
  expect([again.status, again.error.code]).toEqual([400, 'bad_credentials'])
  const typed = await signIn(server, ` ${second.toUpperCase().replace('-', ' ')} `)
  expect(typed.body.recovery_codes_left).toBe(8)
  expect(await countLeft(given)).toBe(8)
  expect((await given.ada.call(listOwnSessions, {})).body).toHaveLength(3)
})

test('of ten concurrent requests with the same recovery code one signs in', async () => {
  await using server = await createTestServer()
  const { codes } = await givenCodes(server)
  const answers = await Promise.all(codes.map(() => signIn(server, codes[0] ?? '')))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('a code of another user, with a wrong password or of another shape does not sign in', async () => {
  await using server = await createTestServer()
  const given = await givenCodes(server)
  await server.given.user({ username: 'eve', password: PASSWORD, totp: true })
  const code = given.codes[0] ?? ''
  const asEve = await server.anonymous.call(login, {
    body: { username: 'eve', password: PASSWORD, twofactor: code },
  })
  expect([asEve.status, asEve.error.code]).toEqual([400, 'bad_credentials'])
  expect((await signIn(server, code, 'a wrong password')).error.code).toBe('bad_credentials')
  for (const hostile of [
    '',
    '12345',
    'abcde',
    `${code}a`,
    "abcde-' or",
    '\u0000'.repeat(10),
    'a'.repeat(5_000),
  ])
    expect((await signIn(server, hostile)).error.fields, hostile).toHaveProperty('twofactor')
  expect(await countLeft(given)).toBe(10)
})

test('guessing recovery codes is slowed down like guessing TOTP codes', async () => {
  await using server = await createTestServer()
  const { codes } = await givenCodes(server)
  for (const letter of 'abcde') expect((await signIn(server, letter.repeat(10))).status).toBe(400)
  const blocked = await signIn(server, codes[0] ?? '')
  expect([blocked.status, blocked.error.code]).toEqual([429, 'too_many_requests'])
})

test('new codes require the password and replace the old ones', async () => {
  await using server = await createTestServer()
  const given = await givenCodes(server)
  const wrong = await given.ada.call(createRecoveryCodes, { body: { current_password: 'a wrong password' } })
  expect(wrong.error.fields).toHaveProperty('current_password')
  const { body } = await given.ada.call(createRecoveryCodes, { body: { current_password: PASSWORD } })
  expect(body.recovery_codes).toHaveLength(10)
  expect((await signIn(server, given.codes[0] ?? '')).status).toBe(400)
  expect((await signIn(server, body.recovery_codes[0] ?? '')).status).toBe(200)
  expect(await countLeft(given)).toBe(9)
})

test('without two-factor sign-in there are no recovery codes', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user({ password: PASSWORD }))
  const { status, error } = await ada.call(createRecoveryCodes, { body: { current_password: PASSWORD } })
  expect([status, error.code]).toEqual([409, 'conflict'])
})

test.each(['an administrator', 'the user', 'the command line'])(
  'a reset of two-factor sign-in by %s removes the recovery codes',
  async (who) => {
    await using server = await createTestServer()
    const { user, ada } = await givenCodes(server)
    const admin = server.as(await server.given.user({ superuser: true }))
    if (who === 'an administrator') await admin.call(resetUserTotp, { body: { id: user.id } })
    else if (who === 'the user') await ada.call(resetTotp, { body: { current_password: PASSWORD } })
    else await resetPassword(server.ctx, 'ada')
    expect(await server.ctx.db.selectFrom('recovery_codes').selectAll().execute()).toEqual([])
  },
)

test('codes are audited when they are replaced and used, and never stored readably', async () => {
  await using server = await createTestServer()
  const { ada, codes } = await givenCodes(server)
  await signIn(server, codes[0] ?? '')
  await ada.call(createRecoveryCodes, { body: { current_password: PASSWORD } })
  const admin = server.as(await server.given.user({ superuser: true }))
  const messages = (await admin.call(listAudit, { body: {} })).body.audit_logs.map(({ message }) => message)
  expect(messages).toEqual(
    expect.arrayContaining([
      'Signed in as "ada" with a recovery code, 9 left',
      'Replaced the recovery codes of "ada"',
    ]),
  )
  const rows = await server.ctx.db.selectFrom('recovery_codes').selectAll().execute()
  const stored = JSON.stringify([rows, messages, server.logLines])
  for (const code of codes) {
    expect(stored).not.toContain(code)
    expect(stored).not.toContain(code.replace('-', ''))
  }
})
