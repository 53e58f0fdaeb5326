import { listClients } from '@muster/contract/api/clients'
import { getDashInfo, getVersion } from '@muster/contract/api/system'
import { checkCredentials, logout, setupTotp } from '@muster/contract/api/sessions'
import { getMe } from '@muster/contract/api/users'
import { CONSOLE_SCREENS } from '@muster/contract/console-screens'
import { createMemoryHistory } from '@tanstack/react-router'
import { beforeEach, expect, test } from 'vitest'
import { createQueryClient } from '../api/query-client.ts'
import { createConsoleRouter } from '../router.tsx'
import { takeNext } from './session.ts'
import { givenDashInfo, givenMe, givenSession, openConsole } from '../../testing/test-console.tsx'
import { answer, fakeServer, refuse } from '../../testing/test-server.ts'

beforeEach(() => {
  localStorage.clear()
  givenSession(undefined)
})

/** A server with a signed-in user and no client yet. */
function freshServer() {
  const server = fakeServer()
  server.on(getMe, () => answer(getMe, givenMe()))
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo()))
  server.on(getVersion, () => answer(getVersion, '0.1.0'))
  server.on(listClients, () => answer(listClients, []))
  server.on(logout, () => answer(logout, null))
  return server
}

test.each([
  '/',
  '/?node=Client|3&search=is:online',
  '/agents/abcdefgh12',
  '/setup',
  '/totp_setup',
  '/takecontrol/abcdefgh12',
  '/webvnc/abcdefgh12/5900',
  '/webterm',
  '/remotebackground/abcdefgh12',
])('%s asks for a sign-in and is remembered', async (path) => {
  freshServer()
  const { screen, at } = await openConsole(path)
  await expect.element(screen.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  expect(at()).toBe('/login')
  expect(takeNext()).toBe(path)
})

test('a signed-in user does not see the sign-in page', async () => {
  givenSession({ token: 'abc', username: 'ada' })
  freshServer()
  const { screen, at } = await openConsole('/login')
  // Without a client, the dashboard leads on to the initial setup.
  await expect.element(screen.getByRole('heading', { name: 'Welcome to Muster' })).toBeVisible()
  expect(at()).toBe('/setup')
})

test.each(['/', '/agents/abcdefgh12', '/webterm'])(
  'without a client %s leads to the initial setup',
  async (path) => {
    givenSession({ token: 'abc', username: 'ada' })
    freshServer()
    const { screen, at } = await openConsole(path)
    await expect.element(screen.getByRole('heading', { name: 'Welcome to Muster' })).toBeVisible()
    expect(at()).toBe('/setup')
  },
)

test('the initial setup offers to monitor the server to superusers only', async () => {
  givenSession({ token: 'abc', username: 'ada' })
  const server = freshServer()
  const offer = /Also monitor the machine/
  const superuser = await openConsole('/')
  await expect.element(superuser.screen.getByRole('checkbox', { name: offer })).toBeChecked()
  await superuser.screen.unmount()
  server.on(getMe, () =>
    answer(getMe, givenMe({ is_superuser: false, permissions: ['can_list_clients', 'can_manage_clients'] })),
  )
  const { screen } = await openConsole('/')
  await expect.element(screen.getByRole('textbox', { name: 'Your company' })).toBeVisible()
  await expect.element(screen.getByRole('checkbox', { name: offer })).not.toBeInTheDocument()
})

test('the initial setup of a hosted server does not offer to monitor it', async () => {
  givenSession({ token: 'abc', username: 'ada' })
  const server = freshServer()
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo({ hosted: true })))
  const { screen } = await openConsole('/')
  await expect.element(screen.getByRole('textbox', { name: 'Your company' })).toBeVisible()
  await expect.element(screen.getByRole('checkbox', { name: /Also monitor/ })).not.toBeInTheDocument()
})

test('without a client, a role that may not add one sees a note', async () => {
  givenSession({ token: 'abc', username: 'ada' })
  const server = freshServer()
  server.on(getMe, () => answer(getMe, givenMe({ is_superuser: false, permissions: ['can_list_clients'] })))
  const { screen } = await openConsole('/')
  await expect.element(screen.getByText(/Your role does not allow you to add one/)).toBeVisible()
  await expect.element(screen.getByRole('textbox')).not.toBeInTheDocument()
})

test.each(['/nowhere', '/agents', '/login/extra', '/setup/2'])('%s is not found', async (path) => {
  freshServer()
  const { screen } = await openConsole(path)
  await expect.element(screen.getByRole('heading', { name: 'Not found' })).toBeVisible()
  await expect.element(screen.getByRole('link', { name: 'Go to the dashboard' })).toBeVisible()
})

test('a session that has ended leads to /expired, which forgets it and remembers the page', async () => {
  givenSession({ token: 'abc', username: 'ada', name: 'Ada' })
  const server = freshServer()
  server.on(listClients, () => refuse('not_signed_in', 'Your session has ended. Sign in again.'))
  server.on(getDashInfo, () => refuse('not_signed_in', 'Your session has ended. Sign in again.'))
  const { screen, at } = await openConsole('/webterm')
  await expect.element(screen.getByRole('heading', { name: 'You are signed out' })).toBeVisible()
  expect(at()).toBe('/expired')
  expect(Object.keys(localStorage).filter((key) => key !== 'rmmver' && !key.startsWith('mantine'))).toEqual([
    'next',
  ])
  expect(takeNext()).toBe('/webterm')
  // There is nothing left to sign out of.
  expect(server.calls(logout)).toHaveLength(0)
})

const routes = Object.keys(createConsoleRouter(createQueryClient(), createMemoryHistory()).routesByPath)

test('the server knows every screen', () => {
  expect(routes.toSorted()).toEqual([...CONSOLE_SCREENS])
})

const guardedRoutes = routes
  .filter((path) => !['/login', '/account/provider/callback', '/invitation', '/expired'].includes(path))
  .map((path) => path.replaceAll(/\$\w+/g, '5900'))

test.each(guardedRoutes)('%s opened with an ended session is where the next sign-in leads', async (route) => {
  const path = `${route}?search=is:online`
  const server = freshServer()
  givenSession({ token: 'abc', username: 'ada' })
  const atStart = [getMe, getDashInfo, listClients, getVersion, setupTotp]
  for (const endpoint of atStart)
    server.on(endpoint, () => refuse('not_signed_in', 'Your session has ended.'))
  const { screen, at } = await openConsole(path)
  await expect.element(screen.getByRole('heading', { name: 'You are signed out' })).toBeVisible()
  expect(localStorage.getItem('next')).toBe(path)

  for (const endpoint of atStart) server.on(endpoint, () => new Promise(() => undefined))
  server.on(checkCredentials, () =>
    answer(checkCredentials, { totp: true, token: 'new', username: 'ada', name: null }),
  )
  await screen.getByRole('link', { name: 'Sign in' }).click()
  await screen.getByRole('textbox', { name: 'User name' }).fill('ada')
  await screen.getByLabelText('Password', { exact: true }).fill('a long password')
  await screen.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect.poll(at).toBe(path)
})

test('signing out ends the session on the server and here, even when the server does not answer', async () => {
  givenSession({ token: 'abc', username: 'ada' })
  const server = freshServer()
  server.on(logout, () => {
    throw new TypeError('Failed to fetch')
  })
  const { screen } = await openConsole('/expired')
  await expect.element(screen.getByRole('heading', { name: 'You are signed out' })).toBeVisible()
  expect(localStorage.getItem('access_token')).toBeNull()
  expect(server.calls(logout)[0]?.headers.authorization).toBe('Token abc')
})

test('a required password change leads to its page from anywhere', async () => {
  givenSession({ token: 'abc', username: 'ada' })
  const server = freshServer()
  server.on(listClients, () =>
    refuse('password_change_required', 'Change your password before anything else.'),
  )
  const { screen, at } = await openConsole('/')
  await expect.element(screen.getByRole('heading', { name: 'Change your password' })).toBeVisible()
  expect(at()).toBe('/change_password')
})

test('a missing second factor leads to its setup from anywhere', async () => {
  givenSession({ token: 'abc', username: 'ada' })
  const server = freshServer()
  server.on(listClients, () => refuse('totp_required', 'Set up two-factor sign-in before anything else.'))
  const { screen, at } = await openConsole('/')
  await expect.element(screen.getByRole('heading', { name: /two-factor sign-in/i })).toBeVisible()
  expect(at()).toBe('/totp_setup')
})
