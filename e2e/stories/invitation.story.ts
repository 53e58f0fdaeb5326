import { createRole } from '@muster/contract/api/roles'
import { expect } from '@playwright/test'
import { chooseInMenu } from '../support/dashboard.ts'
import { addClient } from '../support/seed.ts'
import { test } from '../support/story.ts'
import { refusedWith } from '../support/watch-browser.ts'

test('a colleague opens an invitation, chooses name and password, and the link is used up', async ({
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(404))
  await addClient(admin, 'Acme')
  await admin.call(createRole, { body: { name: 'Help desk', can_list_agents: true, can_list_clients: true } })
  const page = await openConsole({ as: admin })
  await chooseInMenu(page, 'Settings', 'Invitations')
  await page.getByRole('button', { name: 'Invite user' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite user' })
  await dialog.getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'Help desk' }).click()
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill('eve@example.org')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await page.getByRole('group', { name: 'Invitation link' }).locator('code').innerText()
  const path = link.replace(/^https?:\/\/[^/]+/, '')
  await page
    .getByRole('dialog', { name: 'Send this link' })
    .getByRole('button', { name: 'Close' })
    .last()
    .click()
  const row = page.getByRole('listitem').filter({ hasText: 'eve@example.org' })
  await expect(row).toBeVisible()

  const eve = await openConsole({ path })
  await expect(eve.getByText('admin has invited you.')).toBeVisible()
  await eve.getByRole('textbox', { name: 'User name' }).fill('eve')
  await eve.getByLabel('Password', { exact: true }).fill('battery of staples')
  await eve.getByRole('button', { name: 'Create account' }).click()
  await expect(eve).toHaveURL('/totp_setup')
  await eve.getByRole('button', { name: 'Not now' }).click()
  await expect(eve.getByRole('treeitem', { name: /Acme/ })).toBeVisible()
  await expect(row, 'the open dialog follows').toHaveCount(0)

  const mallory = await openConsole({ path })
  await expect(mallory.getByRole('heading', { name: 'Link not valid' })).toBeVisible()
})
