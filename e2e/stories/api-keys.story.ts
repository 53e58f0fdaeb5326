import { expect } from '@playwright/test'
import { expectAccessible, LOOKS, wear } from '../support/accessible.ts'
import { chooseInMenu } from '../support/dashboard.ts'
import { addClient } from '../support/seed.ts'
import { test } from '../support/story.ts'
import { refusedWith } from '../support/watch-browser.ts'

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

test('fifteen minutes after the sign-in, a new key needs the password', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(403), refusedWith(400))
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin, path: '/?dialog=api-key&item=new' })
  const form = page.getByRole('dialog', { name: 'New API key' })
  await form.getByRole('textbox', { name: 'Name' }).fill('Dashboard')
  await server.pass(15)
  const question = page.getByRole('dialog', { name: 'Confirm that it is you' })
  const password = question.getByLabel('Password', { exact: true })

  await test.step('closing the question keeps the form, and makes no key', async () => {
    await page.keyboard.press('Enter')
    await expect(password).toBeFocused()
    for (const look of LOOKS) {
      await wear(page, look)
      await expectAccessible(page, 'the question for a proof')
    }
    await page.keyboard.press('Escape')
    await expect(question).toHaveCount(0)
    await expect(form.getByRole('textbox', { name: 'Name' })).toHaveValue('Dashboard')
    await expect(form.getByRole('alert')).toHaveCount(0)
  })

  await test.step('the key is made after the right password', async () => {
    await form.getByRole('button', { name: 'Create key' }).click()
    await expect(password).toBeFocused()
    await page.keyboard.type('wrong')
    await page.keyboard.press('Enter')
    await expect(question.getByText('The current password is wrong.')).toBeVisible()
    await password.fill(server.admin.password)
    await page.keyboard.press('Enter')
    const key = page.getByRole('group', { name: 'API key', exact: true }).locator('code')
    await expect(key).toHaveText(/^muster_[\w-]{43}$/)
    await expect(question).toHaveCount(0)
  })
})
