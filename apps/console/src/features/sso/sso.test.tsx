import { listUsers } from '@muster/contract/api/accounts'
import { listClients } from '@muster/contract/api/clients'
import { listRoles } from '@muster/contract/api/roles'
import { logout } from '@muster/contract/api/sessions'
import { editCoreSettings } from '@muster/contract/api/settings'
import {
  createSsoProvider,
  deleteSsoAccount,
  editSsoProvider,
  finishSsoSignIn,
  getSsoSignIn,
  getSsoSignOut,
  listSsoAccounts,
  listSsoProviders,
  startSsoSignIn,
  type SsoProvider,
} from '@muster/contract/api/sso'
import { getDashInfo } from '@muster/contract/api/system'
import { getMe } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { storeNext, storeSignIn } from '../../app/session/session.ts'
import { givenDashInfo, givenMe, givenSession, openConsole } from '../../testing/test-console.tsx'
import { answer, fakeServer, refuse } from '../../testing/test-server.ts'
import { testSettings } from '../settings/test-settings.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'
import { readRole, writeRole } from '../users/roles/role-form.ts'

const CORP: SsoProvider = {
  id: 3,
  name: 'corp',
  server_url: 'https://login.example.org/',
  client_id: 'muster',
  scope: 'openid email profile',
  role: 7,
  role_claim: '',
  role_map: [],
  link_by_email: false,
  sign_out: false,
  has_secret: true,
  callback_url: 'https://muster.example.org/account/provider/callback',
  javascript_origin_url: 'https://muster.example.org',
  users: 2,
  modified: 'm1',
}
// Every flag is said by writeRole.
const DESK = { ...(writeRole({ ...readRole(undefined), name: 'Help desk' }) as object), id: 7, user_count: 1, users: ['ada'], built_in: null, modified: '7' } // prettier-ignore

/** A visitor of a server with the provider. */
function givenVisitor() {
  givenSession(undefined)
  const server = fakeServer()
  server.on(getSsoSignIn, () => answer(getSsoSignIn, { providers: [{ name: 'corp' }] }))
  server.on(getMe, () => answer(getMe, givenMe()))
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo()))
  server.on(listClients, () => answer(listClients, []))
  return server
}

async function openDialog(path: string) {
  const given = await givenDashboard({ me: { is_superuser: true } })
  given.server.on(listSsoProviders, () => answer(listSsoProviders, [CORP]))
  // Every field is said above.
  given.server.on(listRoles, () => answer(listRoles, [DESK as never]))
  await given.open(path)
  return given.server
}

const button = (name: string) => page.getByRole('button', { name, exact: true })

test('the sign-in page offers the providers, which lead to their sign-in', async () => {
  const server = givenVisitor()
  const { screen } = await openConsole('/login')
  const link = screen.getByRole('link', { name: 'Sign in with corp' })
  await expect.element(link).toHaveAttribute('href', '/account/provider/callback?provider=corp')
  expect(server.calls(startSsoSignIn)).toHaveLength(0)
})

test('a provider that does not respond leads back to the sign-in page', async () => {
  const server = givenVisitor()
  server.on(startSsoSignIn, () => refuse('unavailable', 'corp does not respond. Try again later.'))
  const { screen } = await openConsole('/account/provider/callback?provider=corp')
  await expect.element(screen.getByText('corp does not respond. Try again later.')).toBeVisible()
  expect(server.calls(startSsoSignIn)[0]?.body).toEqual({ provider: 'corp' })
  await screen.getByRole('link', { name: 'Back to sign-in' }).click()
  await expect.element(screen.getByRole('textbox', { name: 'User name' })).toBeVisible()
})

test('what the provider returns is exchanged once for a session, and the remembered page opens', async () => {
  const server = givenVisitor()
  server.on(finishSsoSignIn, () =>
    answer(finishSsoSignIn, { totp: true, token: 'new', username: 'ada', name: null, provider: 'corp' }),
  )
  storeNext('/setup')
  const { screen } = await openConsole('/account/provider/callback?code=a%2Fb&state=s')
  await expect.element(screen.getByRole('heading', { name: 'Welcome to Muster' })).toBeVisible()
  expect(server.calls(finishSsoSignIn).map(({ body }) => body)).toEqual([{ query: 'code=a%2Fb&state=s' }])
  expect(localStorage.getItem('access_token')).toBe('new')
  expect(localStorage.getItem('sso_provider')).toBe('corp')
})

test('a refused sign-in says why', async () => {
  const server = givenVisitor()
  server.on(finishSsoSignIn, () => refuse('not_allowed', 'The user "ada" is blocked. Ask an administrator.'))
  const { screen } = await openConsole('/account/provider/callback?code=a&state=s')
  await expect.element(screen.getByText('The user "ada" is blocked. Ask an administrator.')).toBeVisible()
  expect(localStorage.getItem('access_token')).toBeNull()
})

test('signing out asks for the sign-out of the provider while the session is open', async () => {
  const server = givenVisitor()
  server.on(getSsoSignOut, () => answer(getSsoSignOut, { url: null }))
  server.on(logout, () => answer(logout, null))
  storeSignIn({ token: 'new', username: 'ada', name: null, provider: 'corp' })
  const { screen } = await openConsole('/expired')
  await expect.element(screen.getByRole('heading', { name: 'You are signed out' })).toBeVisible()
  expect(server.calls(getSsoSignOut)[0]?.headers.authorization).toBe('Token new')
  await expect.poll(() => server.calls(logout).length).toBe(1)
  expect(localStorage.getItem('sso_provider')).toBeNull()
})

test('providers are listed, and the switches apply at once', async () => {
  const server = await openDialog('/?dialog=sso-providers')
  server.on(editCoreSettings, () => answer(editCoreSettings, testSettings()))
  await expect.element(page.getByText('2 users')).toBeVisible()
  await expect.element(page.getByText(CORP.callback_url)).toBeVisible()
  await expect
    .element(page.getByRole('switch', { name: /^Password sign-in for superusers only/ }))
    .toBeDisabled()
  await page.getByRole('switch', { name: 'Users can sign in with these providers' }).click()
  await expect.poll(() => server.calls(editCoreSettings)[0]?.body).toEqual({ sso_enabled: true })
})

test('a new provider is added with roles by claim', async () => {
  const server = await openDialog('/?dialog=sso-provider&item=new')
  server.on(createSsoProvider, () => answer(createSsoProvider, CORP))
  await page.getByRole('textbox', { name: 'Name' }).fill('corp')
  await page.getByRole('textbox', { name: 'Issuer URL' }).fill('http://login.example.org')
  await page.getByRole('textbox', { name: 'Client ID' }).fill('muster')
  await userEvent.tab()
  await expect.element(page.getByText('Enter the issuer URL. It starts with https://.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Issuer URL' }).fill('https://login.example.org')
  await page.getByLabelText('Client secret', { exact: true }).fill('hush')
  await page.getByRole('textbox', { name: 'Role claim' }).fill('groups')
  await button('Add value').click()
  await page.getByRole('textbox', { name: 'Value 1' }).fill('rmm')
  await page.getByRole('combobox', { name: 'Role 1' }).click()
  await page.getByRole('option', { name: 'Help desk' }).click()
  await button('Add provider').click()
  await expect
    .poll(() => server.calls(createSsoProvider)[0]?.body)
    .toEqual({
      name: 'corp',
      server_url: 'https://login.example.org',
      client_id: 'muster',
      secret: 'hush',
      scope: 'openid email profile',
      role: null,
      role_claim: 'groups',
      role_map: [{ value: 'rmm', role: 7 }],
      link_by_email: false,
      sign_out: false,
    })
  await expect.element(button('Edit corp')).toBeVisible()
})

test('an edit keeps the stored secret and the name', async () => {
  const server = await openDialog('/?dialog=sso-provider&item=3')
  server.on(editSsoProvider, () => answer(editSsoProvider, CORP))
  await expect.element(page.getByRole('textbox', { name: 'Name' })).toBeDisabled()
  await expect.element(page.getByText('A secret is stored and hidden. Leave empty to keep it.')).toBeVisible()
  await page.getByText('Sign out at the provider too').click()
  await button('Save').click()
  await expect
    .poll(() => server.calls(editSsoProvider)[0]?.body)
    .toMatchObject({
      role: 7,
      sign_out: true,
      modified: 'm1',
    })
  expect(server.calls(editSsoProvider)[0]?.body).not.toHaveProperty('secret')
})

test('a user of a provider is marked, has no password to reset, and can be disconnected', async () => {
  const given = await givenDashboard({ me: { is_superuser: true } })
  const { server } = given
  const ada = {
    id: 9,
    username: 'ada',
    first_name: '',
    last_name: '',
    email: '',
    is_active: true,
    block_dashboard_login: false,
    must_change_password: false,
    is_superuser: false,
    role: null,
    role_name: null,
    has_all_rights: false,
    sso: ['corp'],
    totp: false,
    passkeys: 0,
    last_login: null,
    last_login_ip: null,
    may_change: true,
    modified: '9',
  }
  const account = {
    id: 4,
    provider: 'corp',
    display: 'ada@example.org',
    subject: 'sub-ada',
    joined: '2026-11-01T10:00:00.000Z',
    last_login: '2026-11-27T10:00:00.000Z',
  }
  server.on(listUsers, () => answer(listUsers, [ada]))
  server.on(listSsoAccounts, () => answer(listSsoAccounts, [account]))
  server.on(deleteSsoAccount, () => answer(deleteSsoAccount, null))
  await given.open('/users')
  await expect.element(page.getByText('SSO', { exact: true })).toBeVisible()
  await button('Actions on ada').click()
  await expect.element(page.getByRole('menuitem', { name: /^Reset password/ })).toBeDisabled()
  await page.getByRole('menuitem', { name: 'Connected accounts' }).click()
  await expect.element(page.getByText('sub-ada')).toBeVisible()
  await button('Disconnect ada@example.org').click()
  await button('Disconnect').click()
  await expect.poll(() => server.calls(deleteSsoAccount)).toHaveLength(1)
})
