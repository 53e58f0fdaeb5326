import { resetUserPassword, resetUserTotp } from '@muster/contract/api/accounts'
import { deleteRole } from '@muster/contract/api/roles'
import { checkCredentials, resetPassword, resetTotp, setupTotp } from '@muster/contract/api/sessions'
import {
  deleteSsoAccount,
  deleteSsoProvider,
  editSsoProvider,
  listSsoAccounts,
} from '@muster/contract/api/sso'
import { getMe } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { resetPassword as resetOnServer } from '../users/create-first-admin.ts'
import { ADA, PASSWORD, prepare, signIn } from './test-sso.ts'

test('the claim decides about the role at each sign-in', async () => {
  await using prepared = await prepare()
  const { server, provider, root, role } = prepared
  const admins = Number((await server.given.user({ permissions: ['can_manage_accounts'] })).roleId)
  await prepared.add({
    scope: 'openid email profile groups',
    role: null,
    role_claim: 'realm_access.roles',
    role_map: [
      { value: 'rmm-admins', role: admins },
      { value: 'staff', role },
    ],
  })
  const claim = (...roles: unknown[]) => provider.users.set('sub-ada', { ...ADA, realm_access: { roles } })
  const nobody = await signIn(server.anonymous, provider)
  expect(nobody.error).toMatchObject({
    code: 'not_allowed',
    detail: 'Your account at corp has no role here. Ask an administrator.',
  })
  const roleOfAda = async () => (await prepared.users()).find(({ username }) => username === 'ada')?.role
  expect(await roleOfAda()).toBeUndefined()
  claim('staff', 'rmm-admins', 7, { hostile: true })
  await signIn(server.anonymous, provider)
  expect(await roleOfAda()).toBe(admins)
  claim('staff')
  await signIn(server.anonymous, provider)
  expect(await roleOfAda()).toBe(role)
  claim('elsewhere')
  expect((await signIn(server.anonymous, provider)).status).toBe(403)
  expect(await roleOfAda()).toBe(role)
  const kept = await root.call(deleteRole, { params: { id: admins } })
  expect(kept.status).toBe(409)
  expect(await prepared.messages()).toContainEqual(
    expect.stringMatching(/^Changed the role of "ada" to "role \d+" by the provider "corp"$/),
  )
})

test('without a claim, roles that administrators set are kept', async () => {
  await using prepared = await prepare()
  await prepared.add()
  const { server, provider, role } = prepared
  await signIn(server.anonymous, provider)
  await server.ctx.db.updateTable('users').set({ role_id: null }).where('username', '=', 'ada').execute()
  await signIn(server.anonymous, provider)
  expect((await prepared.users()).find(({ username }) => username === 'ada')?.role).toBeNull()
  expect(role).toBeGreaterThan(0)
})

test('an existing user is connected by verified e-mail only if the provider may, and a superuser never', async () => {
  await using prepared = await prepare()
  const { server, provider, root } = prepared
  const { id, modified } = await prepared.add()
  const mail = (email: string) => ({ fields: { email } })
  const ada = await server.given.user({
    username: 'ada.local',
    totp: true,
    password: PASSWORD,
    ...mail('Ada@Example.org'),
  })
  await signIn(server.anonymous, provider)
  const names = async () =>
    (await prepared.users()).filter(({ sso }) => sso.length > 0).map((user) => user.username)
  expect(await names()).toEqual(['ada'])
  await root.call(editSsoProvider, { params: { id }, body: { link_by_email: true, modified } })
  // Two users have the address now.
  provider.users.set('sub-2', { ...ADA, preferred_username: 'second' })
  provider.current = 'sub-2'
  expect((await signIn(server.anonymous, provider)).body.username).toBe('second')
  await server.ctx.db.updateTable('users').set({ email: '' }).where('id', '!=', ada.id).execute()
  provider.users.set('sub-3', { ...ADA, email_verified: 'true', preferred_username: 'third' })
  provider.current = 'sub-3'
  expect((await signIn(server.anonymous, provider)).body.username).toBe('third')
  await server.ctx.db.updateTable('users').set({ email: '' }).where('id', '!=', ada.id).execute()
  provider.users.set('sub-4', ADA)
  provider.current = 'sub-4'
  expect((await signIn(server.anonymous, provider)).body.username).toBe('ada.local')
  // The password, the authenticator and the sessions that they opened have ended.
  expect((await server.as(ada).call(getMe, {})).status).toBe(401)
  const byPassword = await server.anonymous.call(checkCredentials, {
    body: { username: 'ada.local', password: PASSWORD },
  })
  expect(byPassword.error.code).toBe('bad_credentials')
  expect((await prepared.users()).find((user) => user.id === ada.id)).toMatchObject({
    totp: false,
    sso: ['corp'],
  })
  await server.given.user({ username: 'chief', superuser: true, ...mail('chief@example.org') })
  provider.users.set('sub-5', { ...ADA, email: 'chief@example.org', preferred_username: 'chief' })
  provider.current = 'sub-5'
  expect((await signIn(server.anonymous, provider)).body.username).toBe('chief@example.org')
})

test('users of a provider have no password and no second factor here', async () => {
  await using prepared = await prepare()
  const { server, provider, root } = prepared
  await prepared.add()
  const browser = server.anonymous
  await signIn(browser, provider)
  const { id } = (await browser.call(getMe, {})).body
  const proof = { current_password: PASSWORD }
  const own = [
    await browser.call(resetPassword, { body: { ...proof, password: 'another horse battery' } }),
    await browser.call(resetTotp, { body: proof }),
    await browser.call(setupTotp, {}),
  ]
  expect(own.map(({ error }) => error.code)).toEqual(['not_allowed', 'not_allowed', 'not_allowed'])
  const byRoot = [
    await root.call(resetUserPassword, { body: { id, password: 'another horse battery' } }),
    await root.call(resetUserTotp, { body: { id } }),
  ]
  expect(byRoot.map(({ error }) => error.detail)).toEqual([
    '"ada" signs in with corp. Disconnect this account first.',
    '"ada" signs in with corp. Disconnect this account first.',
  ])
})

test('a disconnected account ends its sessions, and its user can get a password', async () => {
  await using prepared = await prepare()
  const { server, provider, root } = prepared
  const { id: providerId } = await prepared.add()
  const browser = server.anonymous
  await signIn(browser, provider)
  const { id } = (await browser.call(getMe, {})).body
  const accounts = (await root.call(listSsoAccounts, { params: { id } })).body
  expect(accounts).toMatchObject([{ provider: 'corp', display: 'ada@example.org', subject: 'sub-ada' }])
  const params = { id, account_id: accounts[0]?.id ?? 0 }
  const other = (await server.given.user()).id
  expect((await root.call(deleteSsoAccount, { params: { ...params, id: other } })).status).toBe(404)
  expect((await root.call(deleteSsoAccount, { params })).status).toBe(200)
  expect((await browser.call(getMe, {})).status).toBe(401)
  expect((await root.call(resetUserPassword, { body: { id, password: PASSWORD } })).status).toBe(200)
  // The account gets a new user: the old one is no longer connected.
  expect((await signIn(server.anonymous, provider)).body.username).toBe('ada@example.org')
  expect((await root.call(deleteSsoProvider, { params: { id: providerId } })).status).toBe(200)
  expect(await server.ctx.db.selectFrom('sso_accounts').selectAll().execute()).toEqual([])
})

test('the command line gives a password back to a user of a provider', async () => {
  await using prepared = await prepare()
  const { server, provider } = prepared
  await prepared.add()
  await signIn(server.anonymous, provider)
  const password = await resetOnServer(server.ctx, 'ada')
  const answer = await server.anonymous.call(checkCredentials, { body: { username: 'ada', password } })
  expect(answer.status).toBe(200)
})
