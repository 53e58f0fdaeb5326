import { expect } from '@playwright/test'
import { addClient } from '../support/seed.ts'
import { readSession, sendPassword, writeStorage } from '../support/sign-in-page.ts'
import { test } from '../support/story.ts'
import { refusedWith } from '../support/watch-browser.ts'

test('signing in stores token and user name as raw strings; a key without a value is absent', async ({
  page,
  server,
}) => {
  await page.goto('/login')
  await sendPassword(page, server.admin)
  await expect(page).toHaveURL('/totp_setup')
  const { access_token, ...others } = await readSession(page)
  expect(access_token).toMatch(/^[\w-]{20,}$/)
  expect(others).toEqual({ user_name: 'admin' })
})

test('signing in clears the provider of an earlier sign-in', async ({ page, server }) => {
  await page.goto('/login')
  await writeStorage(page, { sso_provider: 'acme-oidc' })
  await sendPassword(page, server.admin)
  await expect(page).toHaveURL('/totp_setup')
  expect(await readSession(page)).not.toHaveProperty('sso_provider')
})

test('the display name is the name if there is one, else the user name', async ({ admin, openConsole }) => {
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin })
  await expect(page.getByRole('button', { name: 'Account of admin' })).toBeVisible()
  await writeStorage(page, { name: 'Ada Winter' })
  await page.reload()
  await expect(page.getByRole('button', { name: 'Account of Ada Winter' })).toBeVisible()
})

test('a wrong password and an unknown user are answered alike, and nothing is stored', async ({
  page,
  server,
  expected,
}) => {
  expected.browser.push(refusedWith(400))
  await page.goto('/login')
  for (const username of ['admin', 'nobody']) {
    await sendPassword(page, { username, password: 'not the password' })
    await expect(page.getByRole('alert')).toHaveText(/^User name, password or code is wrong\./)
    expect(await readSession(page)).toEqual({})
  }
  await expect(page.getByRole('textbox', { name: 'User name' })).toHaveValue('nobody')
  await sendPassword(page, server.admin)
  await expect(page).toHaveURL('/totp_setup')
})

test('after too many failures the page says when to try again, and waits for it', async ({
  page,
  server,
  expected,
}) => {
  expected.browser.push(refusedWith(400), refusedWith(429))
  await page.goto('/login')
  const fail = async (failure: number) => {
    const answer = page.waitForResponse('**/v2/checkcreds/')
    await sendPassword(page, { username: 'admin', password: `wrong ${failure}` })
    return answer
  }
  for (let failure = 1; failure <= 5; failure++) expect((await fail(failure)).status()).toBe(400)
  let refused = await fail(6)
  // The first wait is short: a slow browser comes when it is over.
  for (let failure = 7; refused.status() === 400; failure++) refused = await fail(failure)
  expect(refused.status()).toBe(429)
  expect(Number(refused.headers()['retry-after'])).toBeGreaterThan(0)
  await expect(page.getByRole('alert')).toContainText(/Try again in \d+ s\./)
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeDisabled()
  await page.getByLabel('Password', { exact: true }).fill(server.admin.password)
  await page.getByRole('button', { name: 'Sign in', exact: true, disabled: false }).click()
  await expect(page).toHaveURL('/totp_setup')
})

test('a password manager finds the fields, and Enter submits', async ({ page, server }) => {
  await page.goto('/login')
  const username = page.getByRole('textbox', { name: 'User name' })
  await expect(username).toBeFocused()
  await expect(username).toHaveAttribute('autocomplete', 'username')
  const password = page.getByLabel('Password', { exact: true })
  await expect(password).toHaveAttribute('autocomplete', 'current-password')
  await username.fill(server.admin.username)
  await password.fill(server.admin.password)
  await password.press('Enter')
  await expect(page).toHaveURL('/totp_setup')
})

test('a signed-in user on the sign-in page gets the dashboard', async ({ admin, openConsole }) => {
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin, path: '/login' })
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('button', { name: 'Account of admin' })).toBeVisible()
})

test('a server that does not answer is said at the form', async ({ page, server, expected }) => {
  expected.browser.push(/ERR_CONNECTION_FAILED/)
  await page.goto('/login')
  await page.route('**/v2/checkcreds/', (route) => route.abort('connectionfailed'))
  await sendPassword(page, server.admin)
  await expect(page.getByRole('alert')).toContainText('The server cannot be reached.')
  await page.unroute('**/v2/checkcreds/')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/totp_setup')
})

test('a broken server is said with the request id', async ({ page, server, expected }) => {
  expected.browser.push(refusedWith(500))
  await page.goto('/login')
  const body = { detail: 'Something went wrong on the server.', code: 'internal', request_id: 'req-77' }
  await page.route('**/v2/checkcreds/', (route) => route.fulfill({ status: 500, json: body }))
  await sendPassword(page, server.admin)
  await expect(page.getByRole('alert')).toContainText('Something went wrong on the server.')
  await expect(page.getByRole('alert')).toContainText('req-77')
})
