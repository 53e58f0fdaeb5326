import { createUser } from '@muster/contract/api/accounts'
import { checkCredentials, confirmSession } from '@muster/contract/api/sessions'
import { editCoreSettings } from '@muster/contract/api/settings'
import {
  createSsoProvider,
  editSsoProvider,
  getSsoSignIn,
  getSsoSignOut,
  listSsoProviders,
  startSsoSignIn,
} from '@muster/contract/api/sso'
import { getDashInfo } from '@muster/contract/api/system'
import { getMe } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { LOOPBACK_CHANNELS } from '../alerts/channels/test-receiver.ts'
import { CLIENT_ID, CLIENT_SECRET, openTestProvider } from './test-provider.ts'
import { ADA, CALLBACK, finish, PASSWORD, prepare, signIn, start } from './test-sso.ts'

test('a user of the provider signs in, is added with the default role, and is known the next time', async () => {
  await using prepared = await prepare()
  const { server, provider, root, role } = prepared
  expect((await server.anonymous.call(getSsoSignIn, {})).body).toEqual({ providers: [] })
  await prepared.add()
  expect((await server.anonymous.call(getSsoSignIn, {})).body).toEqual({ providers: [{ name: 'corp' }] })
  const browser = server.anonymous
  const url = new URL(await start(browser))
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: CLIENT_ID,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid email profile',
    code_challenge_method: 'S256',
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
  })
  const { body } = await finish(browser, await provider.visit(url.href))
  expect(body).toMatchObject({ totp: true, username: 'ada', name: 'Ada Lovelace', provider: 'corp' })
  browser.token = body.token
  expect((await browser.call(getMe, {})).body).toMatchObject({
    username: 'ada',
    is_superuser: false,
    permissions: ['can_list_agents'],
  })
  const again = await signIn(server.anonymous, provider)
  expect(again.body.username).toBe('ada')
  const ada = (await prepared.users()).find(({ username }) => username === 'ada')
  expect(ada).toMatchObject({ sso: ['corp'], role, email: 'ada@example.org', totp: false })
  expect(await prepared.users()).toHaveLength(3)
  expect((await root.call(listSsoProviders, {})).body).toMatchObject([{ name: 'corp', users: 1 }])
  expect(await prepared.messages()).toEqual(
    expect.arrayContaining([
      'Added the sign-in provider "corp"',
      'Added the user "ada" by the provider "corp"',
      'Signed in as "ada" with the provider "corp"',
    ]),
  )
})

test.each(['client_secret_post', 'none'] as const)(
  'a provider that wants the client as %s signs in too',
  async (authMethod) => {
    await using prepared = await prepare()
    await using other = await openTestProvider({ callback: CALLBACK, authMethod })
    other.users.set('sub', ADA)
    other.current = 'sub'
    const secret = authMethod === 'none' ? '' : CLIENT_SECRET
    await prepared.add()
    await prepared.add({ name: 'other', server_url: other.issuer, secret })
    expect((await signIn(prepared.server.anonymous, other, 'other')).body.username).toBe('ada')
    // The same name at another provider is another person, whose user gets another name.
    expect((await signIn(prepared.server.anonymous, prepared.provider)).body.username).toBe('ada@example.org')
  },
)

test('a session of a provider needs no TOTP and no password change of this server', async () => {
  const env = { ...LOOPBACK_CHANNELS, MUSTER_PUBLIC_URL: 'https://muster.example.com' }
  await using server = await createTestServer({ env })
  await using provider = await openTestProvider({
    callback: 'https://muster.example.com/account/provider/callback',
  })
  provider.users.set('sub-ada', ADA)
  provider.current = 'sub-ada'
  const root = server.as(await server.given.user({ superuser: true, totp: true }))
  root.headers = { origin: 'https://muster.example.com' }
  const { roleId } = await server.given.user({ totpRequired: true, permissions: ['can_list_agents'] })
  const body = { name: 'corp', server_url: provider.issuer, client_id: CLIENT_ID, secret: CLIENT_SECRET }
  const added = await root.call(createSsoProvider, { body: { ...body, role: roleId } })
  expect(added.body.callback_url).toBe('https://muster.example.com/account/provider/callback')
  await root.call(editCoreSettings, { body: { sso_enabled: true } })
  const browser = server.anonymous
  browser.headers = { origin: 'https://muster.example.com' }
  expect((await signIn(browser, provider)).status).toBe(200)
  expect((await browser.call(getDashInfo, {})).status).toBe(200)
})

test('a used, unknown, expired or foreign state signs nobody in', async () => {
  await using prepared = await prepare()
  const { server, provider } = prepared
  await prepared.add()
  const browser = server.anonymous
  const refused = {
    code: 'invalid',
    detail: 'This sign-in has expired or was used before. Sign in again.',
  }
  const query = await provider.visit(await start(browser))
  // The link in another browser, and in the one that started afterwards.
  expect((await finish(server.anonymous, query)).error).toMatchObject(refused)
  expect((await finish(browser, query)).error).toMatchObject(refused)
  const second = await provider.visit(await start(browser))
  expect((await finish(browser, second)).status).toBe(200)
  expect((await finish(browser, second)).error).toMatchObject(refused)
  for (const hostile of ['', 'state=', 'state=x&code=y', `state=${'x'.repeat(9000)}`, '%', 'code=1'])
    expect((await finish(browser, hostile)).error).toMatchObject(refused)
  const late = await provider.visit(await start(browser))
  server.clock.advance(601)
  expect((await finish(browser, late)).error).toMatchObject(refused)
  await server.ctx.jobs.drain()
  expect(await server.ctx.db.selectFrom('sso_attempts').selectAll().execute()).toEqual([])
})

test('of ten concurrent requests with one response of the provider one signs in', async () => {
  await using prepared = await prepare()
  await prepared.add()
  const browser = prepared.server.anonymous
  const query = await prepared.provider.visit(await start(browser))
  const answers = await Promise.all(Array.from({ length: 10 }, () => finish(browser, query)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('two concurrent first sign-ins add one user', async () => {
  await using prepared = await prepare()
  const { server, provider } = prepared
  await prepared.add()
  const browsers = [server.anonymous, server.anonymous]
  const answers = await Promise.all(browsers.map((browser) => signIn(browser, provider)))
  expect(answers.map(({ status }) => status).filter((status) => status !== 409)).toContain(200)
  expect((await prepared.users()).filter(({ sso }) => sso.length > 0)).toHaveLength(1)
})

test('a response with another nonce, issuer, code or error signs nobody in', async () => {
  await using prepared = await prepare()
  const { server, provider } = prepared
  await prepared.add()
  const browser = server.anonymous
  const foreign = new URL(await start(browser))
  foreign.searchParams.set('nonce', 'of-another-sign-in')
  const invalid = { code: 'invalid', detail: 'The response of corp is not valid. Ask an administrator.' }
  expect((await finish(browser, await provider.visit(foreign.href))).error).toMatchObject(invalid)
  const changes: [string, string][] = [
    ['iss', 'https://evil.example'],
    ['code', 'nosuchcode'],
  ]
  for (const [key, value] of changes) {
    const query = new URLSearchParams(await provider.visit(await start(browser)))
    query.set(key, value)
    expect((await finish(browser, query.toString())).error, key).toMatchObject(invalid)
  }
  provider.current = undefined
  expect((await finish(browser, await provider.visit(await start(browser)))).error).toMatchObject({
    code: 'not_allowed',
    detail: 'corp refused the sign-in (access_denied). Try again.',
  })
  expect(await server.ctx.db.selectFrom('sso_accounts').selectAll().execute()).toEqual([])
  expect((await prepared.messages()).filter((message) => message.startsWith('Failed'))).toEqual([
    'Failed to sign in with the provider "corp": access_denied: The user cancelled.',
    expect.stringContaining('Failed to sign in with the provider "corp"'),
    expect.stringContaining('Failed to sign in with the provider "corp"'),
    expect.stringContaining('Failed to sign in with the provider "corp"'),
  ])
})

test('a provider that is down is named, and nobody signs in', async () => {
  await using prepared = await prepare()
  const { server, provider } = prepared
  await prepared.add()
  const browser = server.anonymous
  const query = await provider.visit(await start(browser))
  await provider.close()
  const down = { code: 'unavailable', detail: 'corp does not respond. Try again later.' }
  expect((await finish(browser, query)).error).toMatchObject(down)
  const answer = await browser.call(startSsoSignIn, { body: { provider: 'corp' } })
  expect(answer.error).toMatchObject(down)
})

test('a blocked user and a user for programs do not sign in', async () => {
  await using prepared = await prepare()
  const { server, provider } = prepared
  await prepared.add()
  await signIn(server.anonymous, provider)
  const set = (fields: { is_active: 0 | 1; block_dashboard_login: 0 | 1 }) =>
    server.ctx.db.updateTable('users').set(fields).where('username', '=', 'ada').execute()
  await set({ is_active: 0, block_dashboard_login: 0 })
  expect((await signIn(server.anonymous, provider)).error).toMatchObject({
    code: 'not_allowed',
    detail: 'The user "ada" is blocked. Ask an administrator.',
  })
  await set({ is_active: 1, block_dashboard_login: 1 })
  expect((await signIn(server.anonymous, provider)).status).toBe(403)
})

test('switched off, nobody signs in with a provider, and passwords work for everyone again', async () => {
  await using prepared = await prepare()
  const { server, provider, root } = prepared
  await prepared.add()
  await server.given.user({ username: 'bob', password: PASSWORD })
  await root.call(editCoreSettings, { body: { block_local_user_logon: true } })
  const byPassword = (username: string) =>
    server.anonymous.call(checkCredentials, { body: { username, password: PASSWORD } })
  expect((await byPassword('bob')).status).toBe(403)
  // The superuser who can still sign in if the provider fails.
  expect((await byPassword('root')).status).toBe(200)
  const browser = server.anonymous
  const query = await provider.visit(await start(browser))
  expect((await browser.call(getDashInfo, {})).status).toBe(401)
  await root.call(editCoreSettings, { body: { sso_enabled: false } })
  expect((await finish(browser, query)).error.code).toBe('switched_off')
  const started = await browser.call(startSsoSignIn, { body: { provider: 'corp' } })
  expect(started.error.code).toBe('switched_off')
  expect((await browser.call(getSsoSignIn, {})).body.providers).toEqual([])
  expect((await byPassword('bob')).status).toBe(200)
  expect((await root.call(getDashInfo, {})).body).toMatchObject({
    sso_enabled: false,
    block_local_user_logon: false,
  })
})

test('signing out leads to the provider if it offers that and an administrator has chosen it', async () => {
  await using prepared = await prepare()
  const { server, provider, root } = prepared
  const { id } = await prepared.add()
  const browser = server.anonymous
  await signIn(browser, provider)
  const findUrl = async () => (await browser.call(getSsoSignOut, {})).body.url
  expect(await findUrl()).toBeNull()
  await root.call(editSsoProvider, { params: { id }, body: { sign_out: true } })
  const url = new URL((await findUrl()) ?? '')
  expect([url.origin, url.pathname]).toEqual([provider.issuer, '/session/end'])
  expect(url.searchParams.get('id_token_hint')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  expect((await fetch(url)).status).toBe(200)
  expect((await root.call(getSsoSignOut, {})).body.url).toBeNull()
  await provider.close()
  expect(await findUrl()).toBeNull()
})

test('an address that starts sign-ins without end is slowed down', async () => {
  await using prepared = await prepare()
  await prepared.add()
  const { db, now } = prepared.server.ctx
  const browser = prepared.server.anonymous
  await start(browser)
  const [first] = await db.selectFrom('sso_attempts').selectAll().execute()
  if (first === undefined) throw new Error('the start stored nothing')
  const rows = Array.from({ length: 200 }, (_, index) => ({ ...first, digest: `${index}` }))
  await db.insertInto('sso_attempts').values(rows).execute()
  const refused = await browser.call(startSsoSignIn, { body: { provider: 'corp' } })
  expect(refused.error.code).toBe('too_many_requests')
  browser.source = '192.0.2.7'
  expect(await start(browser)).toContain('http')
  expect(first.expires_at > now().toISOString()).toBe(true)
})

test('a user of the provider who is asked for a proof signs in again', async () => {
  await using prepared = await prepare()
  const { server, provider } = prepared
  await prepared.add()
  const browser = server.anonymous
  browser.token = (await signIn(browser, provider)).body.token
  await server.ctx.db.updateTable('users').set({ is_superuser: 1 }).where('username', '=', 'ada').execute()
  const addUser = () =>
    browser.call(createUser, { body: { username: 'grafana', block_dashboard_login: true } })
  server.clock.advance(15 * 60)
  const refused = await addUser()
  expect([refused.status, refused.error.code]).toEqual([403, 'proof_needed'])
  expect(refused.error.detail).toBe('Confirm who you are first: sign in with your provider again.')
  const byPassword = await browser.call(confirmSession, { body: { current_password: PASSWORD } })
  expect([byPassword.status, byPassword.error.code]).toEqual([403, 'not_allowed'])
  browser.token = (await signIn(browser, provider)).body.token
  expect((await addUser()).status).toBe(200)
})
