import { createRole } from '@muster/contract/api/roles'
import { expect } from '@playwright/test'
import { chooseInMenu } from '../support/dashboard.ts'
import { CLIENT_ID, CLIENT_SECRET, startIdentityProvider } from '../support/identity-provider.ts'
import { addClient } from '../support/seed.ts'
import { readSession } from '../support/sign-in-page.ts'
import { test } from '../support/story.ts'
import { expectToast } from '../support/toasts.ts'
import { refusedWith } from '../support/watch-browser.ts'

test('a colleague signs in with a provider that an administrator has added, and out at both', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(401), refusedWith(403))
  await using provider = await startIdentityProvider(`${server.url}/account/provider/callback`)
  await addClient(admin, 'Acme')
  const may = { can_list_agents: true, can_list_clients: true, can_list_sites: true }
  await admin.call(createRole, { body: { name: 'Help desk', ...may } })

  const page = await openConsole({ as: admin })
  await chooseInMenu(page, 'Settings', 'Single sign-on')
  await page.getByRole('button', { name: 'New provider' }).click()
  const dialog = page.getByRole('dialog', { name: 'New provider' })
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('corp')
  await expect(dialog.getByText(`${server.url}/account/provider/callback`)).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Issuer URL' }).fill(provider.issuer)
  await dialog.getByRole('textbox', { name: 'Client ID' }).fill(CLIENT_ID)
  await dialog.getByLabel('Client secret', { exact: true }).fill(CLIENT_SECRET)
  await dialog.getByRole('combobox', { name: 'Default role' }).click()
  await page.getByRole('option', { name: 'Help desk' }).click()
  await dialog.getByText('Sign out at the provider too').click()
  await dialog.getByRole('button', { name: 'Add provider' }).click()
  await expect(page.getByRole('button', { name: 'Edit corp' })).toBeVisible()
  await page.getByRole('switch', { name: 'Users can sign in with these providers' }).click()
  await expectToast(page, 'Sign-in saved.')
  await page.getByRole('switch', { name: 'Password sign-in for superusers only' }).click()
  await expect(page.getByRole('switch', { name: 'Password sign-in for superusers only' })).toBeChecked()

  const ada = await openConsole({ path: '/' })
  await expect(ada).toHaveURL('/login')
  await ada.getByRole('link', { name: 'Sign in with corp' }).click()
  await ada.getByRole('textbox', { name: 'Account' }).fill('ada')
  await ada.getByRole('button', { name: 'Continue' }).click()
  await expect(ada.getByRole('button', { name: 'Account of ada' })).toBeVisible()
  expect(ada.url()).not.toContain('code=')
  const { access_token, ...session } = await readSession(ada)
  expect(access_token).toMatch(/^[\w-]{20,}$/)
  expect(session).toMatchObject({ user_name: 'ada', sso_provider: 'corp' })

  await page.goto('/users')
  const row = page.getByRole('listitem').filter({ hasText: 'ada' })
  await expect(row.getByText('signs in with corp')).toBeVisible()
  await expect(row.getByText('ada@example.org')).toBeVisible()

  await ada.getByRole('button', { name: 'Account of ada' }).click()
  await expect(ada.getByRole('menuitem', { name: 'Change password' })).toHaveCount(0)
  await ada.getByRole('menuitem', { name: 'Sign out' }).click()
  await ada.getByRole('button', { name: 'Leave the provider' }).click()
  await expect(ada.getByText('You have left the provider.')).toBeVisible()
  await ada.goto('/login')
  const after = await readSession(ada)
  expect(Object.keys(after).filter((key) => key !== 'next')).toEqual([])

  await page.getByRole('button', { name: 'Actions on ada' }).click()
  await page.getByRole('menuitem', { name: 'Block' }).click()
  await page.getByRole('dialog', { name: 'Block ada?' }).getByRole('button', { name: 'Block' }).click()
  await expect(row.getByText('blocked')).toBeVisible()
  await ada.getByRole('link', { name: 'Sign in with corp' }).click()
  // The provider has forgotten its own session too.
  await ada.getByRole('textbox', { name: 'Account' }).fill('ada')
  await ada.getByRole('button', { name: 'Continue' }).click()
  await expect(ada.getByText('The user "ada" is blocked. Ask an administrator.')).toBeVisible()
  await ada.getByRole('link', { name: 'Back to sign-in' }).click()
  await expect(ada.getByRole('textbox', { name: 'User name' })).toBeVisible()
})
