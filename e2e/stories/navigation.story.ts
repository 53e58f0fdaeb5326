import { listOwnSessions } from '@muster/contract/api/sessions'
import { expect } from '@playwright/test'
import { addClient } from '../support/seed.ts'
import { readSession, sendPassword, writeStorage } from '../support/sign-in-page.ts'
import { signIn } from '../support/sign-in.ts'
import { test } from '../support/story.ts'
import { refusedWith } from '../support/watch-browser.ts'

const GUARDED = [
  '/',
  '/?node=Client|1&tab=server',
  '/agents/abcdefgh1234?pane=history',
  '/setup',
  '/totp_setup',
  '/takecontrol/abcdefgh1234',
  '/webvnc/abcdefgh1234/5900',
  '/webterm',
  '/remotebackground/abcdefgh1234?agentPlatform=linux',
]

test('a page that needs a login, visited while signed out, is remembered in full and leads to Login', async ({
  page,
}) => {
  for (const path of GUARDED) {
    await page.goto(path)
    await expect(page).toHaveURL('/login')
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    expect(await readSession(page)).toEqual({ next: path })
  }
})

test('after the sign-in one lands on the remembered page, and it is forgotten', async ({
  page,
  server,
  admin,
}) => {
  await addClient(admin, 'Acme')
  const path = '/?node=Client|1&tab=server&search=is:online'
  await page.goto(path)
  await sendPassword(page, server.admin)
  await page.getByRole('button', { name: 'Not now' }).click()
  await expect(page).toHaveURL(path)
  expect(await readSession(page)).not.toHaveProperty('next')
})

test('without a remembered page one lands on the dashboard, and never on another site', async ({
  page,
  server,
  admin,
}) => {
  await addClient(admin, 'Acme')
  await page.goto('/login')
  for (const next of ['//muster.example/', 'https://muster.example/', '/\\muster.example']) {
    await writeStorage(page, { next })
    await page.reload()
    await sendPassword(page, server.admin)
    await page.getByRole('button', { name: 'Not now' }).click()
    await expect(page).toHaveURL('/')
    await page.goto('/expired')
    await page.getByRole('link', { name: 'Sign in' }).click()
  }
})

test('signing out leads to /expired, ends the session on the server too, and keeps `next` only', async ({
  admin,
  server,
  openConsole,
}) => {
  await addClient(admin, 'Acme')
  const session = await signIn(server.url, server.admin)
  const page = await openConsole({ as: session, path: '/?node=Client|1' })
  await writeStorage(page, { sso_provider: 'acme-oidc', provider_id: '7' })
  await page.reload()
  await page.getByRole('button', { name: 'Account of admin' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL('/expired')
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible()
  await expect.poll(() => readSession(page)).toEqual({ next: '/?node=Client|1' })
  await expect.poll(async () => (await admin.call(listOwnSessions, {})).length).toBe(1)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await sendPassword(page, server.admin)
  await page.getByRole('button', { name: 'Not now' }).click()
  await expect(page).toHaveURL('/?node=Client|1')
})

test('a failing logout changes nothing: the local session is cleared all the same', async ({
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(/ERR_CONNECTION_FAILED/)
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin })
  await expect(page.getByRole('button', { name: 'Account of admin' })).toBeVisible()
  await page.route('**/logout/', (route) => route.abort('connectionfailed'))
  await page.goto('/expired')
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible()
  await expect.poll(() => readSession(page)).not.toHaveProperty('access_token')
})

test('other tabs follow: signing out and in again in one does so in all', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  // The second tab may still load when the first one signs out.
  expected.browser.push(refusedWith(401))
  await addClient(admin, 'Acme')
  const session = await signIn(server.url, server.admin)
  const first = await openConsole({ as: session, path: '/?node=Client|1' })
  const second = await first.context().newPage()
  await second.goto('/')
  await expect(second.getByRole('button', { name: 'Account of admin' })).toBeVisible()
  await first.goto('/expired')
  await expect(second).toHaveURL('/expired')
  await second.getByRole('link', { name: 'Sign in' }).click()
  await first.getByRole('link', { name: 'Sign in' }).click()
  await sendPassword(first, server.admin)
  await first.getByRole('button', { name: 'Not now' }).click()
  await expect(second.getByRole('button', { name: 'Account of admin' })).toBeVisible()
})

test('any other path is the not-found page, for visitors and users alike', async ({
  page,
  admin,
  openConsole,
}) => {
  await addClient(admin, 'Acme')
  const signedIn = await openConsole({ as: admin, path: '/no/such/page' })
  await page.goto('/no/such/page')
  for (const visitor of [page, signedIn]) {
    await expect(visitor.getByRole('heading', { name: 'Not found' })).toBeVisible()
    await expect(visitor).toHaveURL('/no/such/page')
  }
  await signedIn.getByRole('link', { name: 'Go to the dashboard' }).click()
  await expect(signedIn).toHaveURL('/')
})

test('navigation scrolls to the top', async ({ admin, openConsole }) => {
  const page = await openConsole({ as: admin, path: '/totp_setup', viewport: { width: 390, height: 320 } })
  await page.getByRole('button', { name: 'Not now' }).scrollIntoViewIfNeeded()
  expect(await page.evaluate('scrollY')).toBeGreaterThan(100)
  await page.getByRole('button', { name: 'Not now' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome to Muster' })).toBeInViewport()
  expect(await page.evaluate('scrollY')).toBe(0)
})
