import { setupTotp } from '@muster/contract/api/sessions'
import { expect, type Page } from '@playwright/test'
import { CodeApp } from '../support/code-app.ts'
import { addClient } from '../support/seed.ts'
import type { Session } from '../support/sign-in.ts'
import { readSession, sendPassword } from '../support/sign-in-page.ts'
import { test } from '../support/story.ts'
import { refusedWith } from '../support/watch-browser.ts'

const code = (page: Page) => page.getByRole('textbox', { name: 'Code' })

/** Sets the key up on the page that offers it, signs out, and answers the app that has the key now. */
async function confirmKey(page: Page, key: string): Promise<CodeApp> {
  const app = new CodeApp(key)
  await code(page).fill(app.nextCode())
  await expect(page.getByRole('heading', { name: 'Save your recovery codes' })).toBeVisible()
  await page.goto('/expired')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/login')
  return app
}

test('a first sign-in is offered TOTP with QR code and key; from then on a code is asked for', async ({
  page,
  server,
  admin,
}) => {
  await addClient(admin, 'Acme')
  await page.goto('/login')
  await sendPassword(page, server.admin)
  await expect(page).toHaveURL('/totp_setup')
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  const { totp_key: key, qr_url: url } = await readOffer(admin)
  await expect(page.getByText(key.replaceAll(/(.{4})(?=.)/g, '$1 '))).toBeVisible()
  expect(url).toMatch(new RegExp(`^otpauth://totp/[^?]*admin\\?.*secret=${key}`))

  const app = await confirmKey(page, key)
  await sendPassword(page, server.admin)
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible()
  // "If the credentials check returns totp set, no session is stored."
  expect(await readSession(page)).not.toHaveProperty('access_token')
  await expect(code(page)).toBeFocused()
  await expect(code(page)).toHaveAttribute('autocomplete', 'one-time-code')
  await expect(code(page)).toHaveAttribute('inputmode', 'numeric')
  await code(page).fill(app.nextCode())
  await expect(page.getByRole('button', { name: 'Account of admin' })).toBeVisible()
  await expect(page).toHaveURL('/')
  expect(await readSession(page)).toMatchObject({ user_name: 'admin' })
})

test('a code can be pasted with a space in it, and typed and sent with Enter', async ({
  page,
  server,
  admin,
}) => {
  await addClient(admin, 'Acme')
  const { totp_key: key } = await readOffer(admin)
  await page.goto('/login')
  await sendPassword(page, server.admin)
  const app = new CodeApp(key)
  const first = app.nextCode()
  await code(page).focus()
  await page.keyboard.insertText(`${first.slice(0, 3)} ${first.slice(3)}`)
  await expect(page.getByRole('heading', { name: 'Save your recovery codes' })).toBeVisible()
  await page.goto('/expired')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await sendPassword(page, server.admin)
  await code(page).pressSequentially(app.nextCode())
  await expect(page).toHaveURL('/')
})

test('a wrong code is said at the field, which is ready for the next one', async ({
  page,
  server,
  admin,
  expected,
}) => {
  expected.browser.push(refusedWith(400))
  await addClient(admin, 'Acme')
  const { totp_key: key } = await readOffer(admin)
  await page.goto('/login')
  await sendPassword(page, server.admin)
  await code(page).fill('000000')
  await expect(page.getByRole('alert')).toContainText('This code is wrong.')
  await expect(code(page)).toHaveValue('')
  await expect(code(page)).toBeFocused()
  const app = await confirmKey(page, key)
  await sendPassword(page, server.admin)
  await code(page).fill('000000')
  await expect(page.getByRole('alert')).toContainText('User name, password or code is wrong.')
  await expect(code(page)).toHaveValue('')
  await code(page).fill(app.nextCode())
  await expect(page).toHaveURL('/')
})

test('the set-up shows recovery codes, the session continues, and each code signs in once', async ({
  page,
  server,
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(400))
  await addClient(admin, 'Acme')
  const { totp_key: key } = await readOffer(admin)
  await page.goto('/?tab=server')
  await sendPassword(page, server.admin)
  await code(page).fill(new CodeApp(key).nextCode())
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await expect(codes).toHaveCount(10)
  const recoveryCode = (await codes.first().textContent()) ?? ''
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('button', { name: 'Account of admin' })).toBeVisible()
  await expect(page).toHaveURL('/?tab=server')

  const elsewhere = await openConsole({ path: '/login' })
  await sendPassword(elsewhere, server.admin)
  await elsewhere.getByRole('button', { name: 'Use a recovery code' }).click()
  await elsewhere.getByRole('textbox', { name: 'Recovery code' }).fill(recoveryCode)
  await elsewhere.getByRole('button', { name: 'Sign in' }).click()
  await expect(elsewhere.getByText('Recovery code used. 9 left.')).toBeVisible()
  await page.getByRole('button', { name: 'Account of admin' }).click()
  await page.getByRole('menuitem', { name: 'Recovery codes' }).click()
  await expect(page.getByText('9 of 10 recovery codes left.')).toBeVisible()

  const thief = await openConsole({ path: '/login' })
  await sendPassword(thief, server.admin)
  await thief.getByRole('button', { name: 'Use a recovery code' }).click()
  await thief.getByRole('textbox', { name: 'Recovery code' }).fill(recoveryCode)
  await thief.getByRole('button', { name: 'Sign in' }).click()
  await expect(thief.getByRole('alert')).toContainText('User name, password or code is wrong.')
})

test('a code is accepted once', async ({ server, admin, page, openConsole, expected }) => {
  expected.browser.push(refusedWith(400))
  await addClient(admin, 'Acme')
  const { totp_key: key } = await readOffer(admin)
  await page.goto('/login')
  await sendPassword(page, server.admin)
  const app = await confirmKey(page, key)
  const used = app.nextCode()
  await sendPassword(page, server.admin)
  await code(page).fill(used)
  await expect(page).toHaveURL('/')
  const thief = await openConsole({ path: '/login' })
  await sendPassword(thief, server.admin)
  await code(thief).fill(used)
  await expect(thief.getByRole('alert')).toContainText('This code was used. Wait for the next one')
})

test('on a loopback address TOTP may wait, and the offer comes again with the next sign-in', async ({
  page,
  server,
  admin,
}) => {
  await addClient(admin, 'Acme')
  await page.goto('/?tab=server')
  for (let time = 1; time <= 2; time++) {
    await sendPassword(page, server.admin)
    await expect(page).toHaveURL('/totp_setup')
    await page.getByRole('button', { name: 'Not now' }).click()
    await expect(page).toHaveURL('/?tab=server')
    await page.getByRole('button', { name: 'Account of admin' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect(page).toHaveURL('/expired')
    await page.getByRole('link', { name: 'Sign in' }).click()
  }
})

test('once TOTP is set up, /totp_setup shows no key any more', async ({ page, server, admin }) => {
  await addClient(admin, 'Acme')
  const { totp_key: key } = await readOffer(admin)
  await page.goto('/login')
  await sendPassword(page, server.admin)
  const app = await confirmKey(page, key)
  await sendPassword(page, server.admin)
  await code(page).fill(app.nextCode())
  await expect(page).toHaveURL('/')
  await page.goto('/totp_setup')
  await expect(page.getByText('Two-factor sign-in is already set up.')).toBeVisible()
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeHidden()
  await page.getByRole('link', { name: 'Go to the dashboard' }).click()
  await expect(page).toHaveURL('/')
})

test.describe('on a server that others can reach', () => {
  test.use({ serverEnv: { MUSTER_PUBLIC_URL: 'http://muster.example:8420' } })

  test('a session without TOTP can do nothing but set TOTP up', async ({ page, server, expected }) => {
    expected.browser.push(refusedWith(403))
    await page.goto('/login')
    await sendPassword(page, server.admin)
    await expect(page).toHaveURL('/totp_setup')
    await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Not now' })).toBeHidden()
    for (const path of ['/', '/setup', '/agents/abcdefgh1234']) {
      await page.goto(path)
      await expect(page).toHaveURL('/totp_setup')
    }
  })
})

async function readOffer(session: Session): Promise<{ totp_key: string; qr_url: string }> {
  const offer = await session.call(setupTotp, {})
  if (offer === false) throw new Error('there is a confirmed key already')
  return offer
}
