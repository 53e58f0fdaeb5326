import { createUser, deleteUser } from '@muster/contract/api/accounts'
import {
  checkCredentials,
  confirmSession,
  createRecoveryCodes,
  listOwnSignIns,
  listUserSignIns,
  login,
  resetPassword,
  type SignInRecord,
} from '@muster/contract/api/sessions'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import type { TestUser } from '../../../testing/test-given.ts'

const PASSWORD = 'correct horse battery'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

function signIn(server: TestServer, body: { password?: string; twofactor?: string; username?: string } = {}) {
  const browser = server.anonymous
  browser.headers['user-agent'] = FIREFOX
  browser.source = '192.0.2.7'
  const { username = 'ada', password = PASSWORD, twofactor } = body
  return twofactor === undefined
    ? browser.call(checkCredentials, { body: { username, password } })
    : browser.call(login, { body: { username, password, twofactor } })
}

function codeOf(server: TestServer, { totpKey = '' }: TestUser): string {
  return new TOTP({ secret: Secret.fromBase32(totpKey) }).generate({
    timestamp: server.clock.now().getTime(),
  })
}

const wrongFor = (code: string) => (code === '000000' ? '111111' : '000000')

const summarize = ({ succeeded, reason, method }: SignInRecord) =>
  `${succeeded ? 'signed in' : `failed: ${reason}`}, ${method}`

test('users see their own sign-ins and failed ones, latest first, with address and client', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user({ username: 'ada', password: PASSWORD }))
  const eve = server.as(await server.given.user({ username: 'eve', password: PASSWORD }))
  await signIn(server, { password: 'wrong horse' })
  server.clock.advance(60)
  await signIn(server, { username: ' ADA ' })
  await signIn(server, { username: 'eve', password: 'wrong horse' })
  await signIn(server, { username: 'nobody' })
  const [last, first, ...more] = (await ada.call(listOwnSignIns, {})).body
  expect(more).toEqual([])
  expect(last).toEqual({
    id: expect.any(Number),
    time: expect.any(String),
    succeeded: true,
    reason: null,
    method: 'password',
    source: '192.0.2.7',
    user_agent: FIREFOX,
  })
  expect(first).toMatchObject({ succeeded: false, reason: 'wrong_password', method: 'password' })
  expect(Date.parse(last?.time ?? '') - Date.parse(first?.time ?? '')).toBeGreaterThanOrEqual(60_000)
  expect((await eve.call(listOwnSignIns, {})).body).toHaveLength(1)
})

test('the method and the reason of codes and recovery codes are recorded', async () => {
  await using server = await createTestServer()
  server.clock.freeze('2026-11-27T10:00:00Z')
  const user = await server.given.user({ username: 'ada', password: PASSWORD, totp: true })
  const ada = server.as(user)
  const { recovery_codes: codes } = (
    await ada.call(createRecoveryCodes, { body: { current_password: PASSWORD } })
  ).body
  const code = codeOf(server, user)
  await signIn(server)
  await signIn(server, { twofactor: wrongFor(code) })
  await signIn(server, { twofactor: code })
  await signIn(server, { twofactor: code })
  await signIn(server, { twofactor: code, password: 'wrong horse' })
  await signIn(server, { twofactor: codes[0] ?? '' })
  await signIn(server, { twofactor: codes[0] ?? '' })
  expect((await ada.call(listOwnSignIns, {})).body.map(summarize).toReversed()).toEqual([
    'failed: wrong_code, code',
    'signed in, code',
    'failed: used_code, code',
    'failed: wrong_password, code',
    'signed in, recovery_code',
    'failed: wrong_recovery_code, recovery_code',
  ])
})

test('the right password of a user who may not sign in is recorded with the reason', async () => {
  await using server = await createTestServer()
  const admin = server.as(await server.given.user({ superuser: true }))
  const reasonFor = async (username: string, fields: Record<string, 0 | 1>) => {
    const { id } = await server.given.user({ username, password: PASSWORD, fields })
    await signIn(server, { username })
    const { body } = await admin.call(listUserSignIns, { params: { id } })
    return body.map(summarize)
  }
  expect(await reasonFor('ada', { is_active: 0 })).toEqual(['failed: blocked, password'])
  expect(await reasonFor('bob', { block_dashboard_login: 1 })).toEqual(['failed: programs_only, password'])
})

test('a code or password that is asked for within a session is no sign-in', async () => {
  await using server = await createTestServer()
  const user = await server.given.user({ username: 'ada', password: PASSWORD, totp: true })
  const ada = server.as(user)
  const code = codeOf(server, user)
  await ada.call(confirmSession, { body: { twofactor: wrongFor(code) } })
  expect((await ada.call(confirmSession, { body: { twofactor: code } })).status).toBe(200)
  await ada.call(resetPassword, { body: { password: 'kites fly over there', current_password: 'wrong' } })
  const rows = await server.ctx.db.selectFrom('audit_log').select('action').execute()
  expect(rows).toHaveLength(3)
  expect((await ada.call(listOwnSignIns, {})).body).toEqual([])
})

test('those who manage users see the sign-ins of others, but not those of superusers', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user({ username: 'ada', password: PASSWORD })
  const root = await server.given.user({ superuser: true })
  const role = await server.given.user({ permissions: ['can_view_core_settings'] })
  await server.ctx.db.updateTable('roles').set({ is_superuser: 1 }).where('id', '=', role.roleId).execute()
  const helper = await server.given.user({ permissions: ['can_manage_accounts'] })
  const reader = await server.given.user({ permissions: ['can_list_accounts'] })
  await signIn(server)
  const list = async (caller: TestUser, id: number) => {
    const { status, text } = await server.as(caller).call(listUserSignIns, { params: { id } })
    return status === 200 ? (JSON.parse(text) as unknown[]).length : status
  }
  expect(await list(helper, ada.id)).toBe(1)
  expect(await list(helper, root.id)).toBe(403)
  expect(await list(helper, role.id)).toBe(403)
  expect(await list(root, role.id)).toBe(0)
  expect(await list(reader, ada.id)).toBe(403)
  expect(await list(ada, ada.id)).toBe(403)
  expect(await list(helper, 4711)).toBe(404)
  for (const hostile of ['0', '-1', '1e9', "1' or '1'='1", '9'.repeat(40)]) {
    const url = `/accounts/users/${encodeURIComponent(hostile)}/sign-ins/`
    expect((await server.as(helper).send({ method: 'GET', url })).status, hostile).toBeOneOf([400, 404])
  }
})

test('a new user does not get the sign-ins of a deleted user of the same name', async () => {
  await using server = await createTestServer()
  const admin = server.as(await server.given.user({ superuser: true }))
  const add = async () =>
    (await admin.call(createUser, { body: { username: 'ada', password: PASSWORD } })).body.id
  const first = await add()
  await signIn(server)
  expect((await admin.call(listUserSignIns, { params: { id: first } })).body).toHaveLength(1)
  await admin.call(deleteUser, { params: { id: first } })
  server.clock.advance(1)
  await signIn(server)
  const second = await add()
  expect((await admin.call(listUserSignIns, { params: { id: second } })).body).toEqual([])
  await signIn(server)
  expect((await admin.call(listUserSignIns, { params: { id: second } })).body).toHaveLength(1)
})

test('the list ends after 100, and rows of earlier versions have neither method nor client', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user({ username: 'ada', password: PASSWORD }))
  const row = {
    username: 'ada',
    action: 'failed_login',
    object_type: 'user',
    message: 'Failed to sign in as "ada"',
    ip_address: '192.0.2.1',
    entry_time: server.ctx.now().toISOString(),
  }
  const details = ['{"method":"smoke signals","user_agent":7}', '{}', null]
  for (let index = 0; index < 102; index += 1)
    await server.ctx.db
      .insertInto('audit_log')
      .values({ ...row, after_value: details[index % details.length] ?? null })
      .execute()
  await signIn(server)
  const { body } = await ada.call(listOwnSignIns, {})
  expect(body).toHaveLength(100)
  expect(body[0]).toMatchObject({ succeeded: true, method: 'password' })
  for (const old of body.slice(1))
    expect(old).toMatchObject({ succeeded: false, reason: null, method: null, user_agent: null })
})

test('a huge or missing user agent is cut or empty', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user({ username: 'ada', password: PASSWORD }))
  for (const agent of ['<img src=x>'.repeat(500), '']) {
    const browser = server.anonymous
    browser.headers['user-agent'] = agent
    await browser.call(checkCredentials, { body: { username: 'ada', password: PASSWORD } })
  }
  const [none, huge] = (await ada.call(listOwnSignIns, {})).body
  expect(huge?.user_agent).toHaveLength(300)
  expect(none?.user_agent).not.toContain('<img')
})

test('a sign-in updates the open consoles of the user and of those who see users', async () => {
  await using server = await createTestServer()
  const { id } = await server.given.user({ username: 'ada', password: PASSWORD })
  const events: unknown[] = []
  server.ctx.onEvent((event) => void events.push(event))
  await signIn(server, { password: 'wrong horse' })
  await signIn(server)
  await signIn(server, { username: 'nobody' })
  const added = events.filter((event) => (event as { type: string }).type === 'sign_in.added')
  expect(added).toEqual(Array.from({ length: 2 }, () => ({ type: 'sign_in.added', ids: [id] })))
})
