import { expect } from '@playwright/test'
import { chooseInMenu } from '../support/dashboard.ts'
import { addClient } from '../support/seed.ts'
import { test } from '../support/story.ts'

test('a program uses a key that the console created, until the key is deleted', async ({
  admin,
  server,
  openConsole,
}) => {
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin })
  await chooseInMenu(page, 'Settings', 'API keys')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'New API key' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Dashboard')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const key = await dialog.getByRole('group', { name: 'API key', exact: true }).locator('code').innerText()
  expect(key).toMatch(/^muster_[\w-]{43}$/)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  const row = dialog.getByRole('listitem').filter({ hasText: 'Dashboard' })
  await expect(row.getByText('Never used')).toBeVisible()

  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${server.url}${path}`, {
      ...init,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    })
  const clients = await call('/clients/')
  expect([clients.status, clients.headers.get('set-cookie')]).toEqual([200, null])
  expect(await clients.json()).toMatchObject([{ name: 'Acme' }])
  const client = { client: { name: 'Cedar' }, site: { name: 'Office' } }
  expect((await call('/clients/', { method: 'POST', body: JSON.stringify(client) })).status).toBe(200)
  expect((await call('/core/socket-ticket/', { method: 'POST' })).status).toBe(403)
  await expect(row.getByText(/^Last used .* from 127\.0\.0\.1/)).toBeVisible()

  await row.getByRole('button', { name: 'Delete Dashboard' }).click()
  await page
    .getByRole('dialog', { name: 'Delete this API key?' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await expect(row).toHaveCount(0)
  expect((await call('/clients/')).status).toBe(401)
  await page.keyboard.press('Escape')
  await chooseInMenu(page, 'Settings', 'Audit log')
  await expect(page.getByText('admin (API key Dashboard)').first()).toBeVisible()
})
