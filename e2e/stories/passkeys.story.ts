import { expect, type Page } from '@playwright/test'
import { addClient } from '../support/seed.ts'
import { sendPassword } from '../support/sign-in-page.ts'
import { test } from '../support/story.ts'
import { expectToast } from '../support/toasts.ts'
import { refusedWith } from '../support/watch-browser.ts'

/** Gives the browser a device that verifies its user without asking. */
async function addAuthenticator(page: Page): Promise<void> {
  const browser = await page.context().newCDPSession(page)
  await browser.send('WebAuthn.enable')
  await browser.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account of admin' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).click()
}

test('a user adds a passkey, signs in with it alone, and uses it as second factor', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(401))
  await addClient(admin, 'Acme')
  const baseURL = server.url.replace('127.0.0.1', 'localhost')
  const page = await openConsole({ baseURL, path: '/login' })
  await addAuthenticator(page)
  await sendPassword(page, server.admin)

  await page.getByRole('button', { name: 'Add a passkey instead' }).click()
  const adding = page.getByRole('dialog', { name: 'Add passkey' })
  await expect(adding.getByRole('textbox', { name: 'Name' })).toHaveValue('Chrome on Linux')
  await adding.getByLabel('Current password', { exact: true }).fill(server.admin.password)
  await adding.getByRole('button', { name: 'Add passkey' }).click()
  const account = page.getByRole('button', { name: 'Account of admin' })
  await expect(account).toBeVisible()

  await signOut(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(account).toBeVisible()

  await signOut(page)
  await sendPassword(page, server.admin)
  await expect(page.getByRole('heading', { name: 'Confirm your sign-in' })).toBeVisible()
  await page.getByRole('button', { name: 'Use your passkey' }).click()
  await expect(account).toBeVisible()

  await account.click()
  await page.getByRole('menuitem', { name: 'Sign-in history' }).click()
  const history = page.getByRole('dialog', { name: 'Sign-in history' })
  await expect(history.getByRole('listitem').first()).toContainText('passkey · Chrome')
  await history.getByRole('button', { name: 'Close' }).last().click()

  await account.click()
  await page.getByRole('menuitem', { name: 'Passkeys' }).click()
  const list = page.getByRole('dialog', { name: 'Passkeys' })
  await expect(list.getByRole('listitem')).toContainText('For localhost')
  await list.getByRole('button', { name: 'Rename Chrome on Linux' }).click()
  await page.getByRole('dialog', { name: 'Rename passkey' }).getByRole('textbox').fill('Desk')
  await page.getByRole('button', { name: 'Save' }).click()
  await list.getByRole('button', { name: 'Delete Desk' }).click()
  const deleting = page.getByRole('dialog', { name: 'Delete this passkey?' })
  await deleting.getByLabel('Current password', { exact: true }).fill(server.admin.password)
  await deleting.getByRole('button', { name: 'Delete passkey' }).click()
  await expectToast(page, 'Passkey deleted.')
  await expect(list.getByText('No passkeys yet.')).toBeVisible()
})

test('a passkey that was deleted signs in no more, and at an IP address none is offered', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(400), refusedWith(401))
  await addClient(admin, 'Acme')
  const baseURL = server.url.replace('127.0.0.1', 'localhost')
  const page = await openConsole({ baseURL, path: '/login' })
  await addAuthenticator(page)
  await sendPassword(page, server.admin)
  await page.getByRole('button', { name: 'Not now' }).click()
  await page.getByRole('button', { name: 'Account of admin' }).click()
  await page.getByRole('menuitem', { name: 'Passkeys' }).click()
  await page.getByRole('button', { name: 'Add passkey' }).click()
  const adding = page.getByRole('dialog', { name: 'Add passkey' })
  await adding.getByLabel('Current password', { exact: true }).fill(server.admin.password)
  await adding.getByRole('button', { name: 'Add passkey' }).click()
  const list = page.getByRole('dialog', { name: 'Passkeys' })
  await list.getByRole('button', { name: 'Delete Chrome on Linux' }).click()
  const deleting = page.getByRole('dialog', { name: 'Delete this passkey?' })
  await deleting.getByLabel('Current password', { exact: true }).fill(server.admin.password)
  await deleting.getByRole('button', { name: 'Delete passkey' }).click()
  await expect(list.getByText('No passkeys yet.')).toBeVisible()
  await list.getByRole('button', { name: 'Close' }).last().click()

  await signOut(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByRole('alert')).toContainText('This passkey does not sign you in.')

  const atAddress = await openConsole({ path: '/login' })
  await expect(atAddress.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()
  await expect(atAddress.getByRole('button', { name: 'Sign in with a passkey' })).toHaveCount(0)
})
