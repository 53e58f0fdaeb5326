import { createRole } from '@muster/contract/api/roles'
import { listAudit } from '@muster/contract/api/audit'
import { expect } from '@playwright/test'
import { hostname } from 'node:os'
import { chooseInMenu, machineRow } from '../support/dashboard.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { sendPassword } from '../support/sign-in-page.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'
import { refusedWith } from '../support/watch-browser.ts'

test('a colleague is added with a role, works with it, and is out within a second when blocked', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(401), refusedWith(403))
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using _agent = await startAgent({ server: server.url, token })
  const may = { can_list_agents: true, can_list_clients: true, can_list_sites: true, can_use_terminal: true }
  await admin.call(createRole, { body: { name: 'Help desk', ...may } })

  const page = await openConsole({ as: admin })
  await chooseInMenu(page, 'Settings', 'Users')
  await page.getByRole('button', { name: 'New user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'User name' }).fill('eve')
  await dialog.getByRole('button', { name: 'Generate password' }).click()
  const password = await dialog.getByLabel('Password', { exact: true }).inputValue()
  await dialog.getByRole('textbox', { name: 'First name' }).fill('Eve')
  await dialog.getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'Help desk' }).click()
  await dialog.getByRole('button', { name: 'Add' }).click()
  const row = page.getByRole('listitem').filter({ hasText: 'eve' })
  await expect(row.getByText('Help desk')).toBeVisible()
  await expect(row.getByText('Never signed in')).toBeVisible()

  const eve = await openConsole({ path: '/login' })
  await sendPassword(eve, { username: 'eve', password })
  await expect(eve).toHaveURL('/change_password')
  await eve.goto('/')
  await expect(eve).toHaveURL('/change_password')
  await eve.getByLabel('Current password', { exact: true }).fill(password)
  await eve.getByLabel('New password', { exact: true }).fill('kites fly over there')
  await eve.getByLabel('Repeat new password').fill('kites fly over there')
  await eve.getByRole('button', { name: 'Change password' }).click()
  await expect(eve).toHaveURL('/totp_setup')
  await eve.getByRole('button', { name: 'Not now' }).click()
  await machineRow(eve, hostname()).click({ button: 'right' })
  await expect(eve.getByRole('menuitem', { name: 'Run script' })).toHaveCount(0)
  const [terminal] = await Promise.all([
    eve.context().waitForEvent('page'),
    eve.getByRole('menuitem', { name: 'Remote background' }).click(),
  ])
  await expect(terminal.getByRole('status').filter({ hasText: /^In \// })).toBeVisible()

  await page.getByRole('button', { name: 'Actions on eve' }).click()
  await page.getByRole('menuitem', { name: 'Block' }).click()
  await page.getByRole('dialog', { name: 'Block eve?' }).getByRole('button', { name: 'Block' }).click()
  await expect(row.getByText('blocked')).toBeVisible()
  await expect(eve).toHaveURL('/expired')
  await expect(terminal).toHaveURL('/expired')
  const { audit_logs } = await admin.call(listAudit, {
    body: { userFilter: ['admin'], objectFilter: ['user'] },
  })
  expect(audit_logs.slice(0, 2).map(({ message }) => message)).toEqual([
    'Blocked the user "eve"',
    'Added the user "eve"',
  ])
})
