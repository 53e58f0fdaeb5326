import { createClient, listClients } from '@muster/contract/api/clients'
import { expect } from '@playwright/test'
import { addClient } from '../support/seed.ts'
import { sendPassword } from '../support/sign-in-page.ts'
import { test } from '../support/story.ts'
import { refusedWith } from '../support/watch-browser.ts'

test('an empty clients list leads to /setup, whichever page was asked', async ({ admin, openConsole }) => {
  const page = await openConsole({ as: admin })
  for (const path of ['/', '/?node=Client|1&tab=server', '/agents/abcdefgh1234', '/webterm']) {
    await page.goto(path)
    await expect(page).toHaveURL('/setup')
    await expect(page.getByRole('heading', { name: 'Welcome to Muster' })).toBeVisible()
  }
})

test('the first sign-in leads to the initial setup, and its end to the dashboard with the new client', async ({
  page,
  server,
  admin,
}) => {
  await page.goto('/')
  await sendPassword(page, server.admin)
  await page.getByRole('button', { name: 'Not now' }).click()
  await expect(page).toHaveURL('/setup')
  await expect(page.getByRole('textbox', { name: 'Client' })).toBeFocused()
  await page.keyboard.type('Acme Dental')
  await page.getByRole('textbox', { name: 'Site' }).fill('Berlin HQ')
  const monitor = page.getByRole('checkbox', { name: 'Also monitor the machine of this server' })
  await expect(monitor).toBeChecked()
  await monitor.uncheck()
  await page.getByRole('button', { name: 'Finish' }).click()
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('treeitem', { name: /Acme Dental/ })).toBeVisible()
  const clients = await admin.call(listClients, { query: {} })
  expect(clients).toMatchObject([{ name: 'Acme Dental', sites: [{ name: 'Berlin HQ' }] }])
})

test('the setup is closed for good once a client was there', async ({ admin, openConsole }) => {
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin, path: '/setup' })
  await expect(page.getByText('The initial setup is done.')).toBeVisible()
  await expect(page.getByRole('textbox')).toHaveCount(0)
  await page.getByRole('link', { name: 'Go to the dashboard' }).click()
  await expect(page).toHaveURL('/')
  const again = admin.call(createClient, {
    body: { client: { name: 'Second' }, site: { name: 'Office' }, initialsetup: true },
  })
  await expect(again).rejects.toMatchObject({ status: 403, code: 'setup_closed' })
})

test('two browsers on the setup: the second sees that it is done', async ({
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(403))
  const [first, second] = [await openConsole({ as: admin }), await openConsole({ as: admin })]
  for (const page of [first, second]) await page.getByRole('textbox', { name: 'Client' }).fill('Acme')
  for (const page of [first, second]) {
    await page.getByRole('textbox', { name: 'Site' }).fill('Office')
    await page.getByRole('checkbox').uncheck()
  }
  await first.getByRole('button', { name: 'Finish' }).click()
  await expect(first).toHaveURL('/')
  await second.getByRole('button', { name: 'Finish' }).click()
  await expect(second.getByRole('alert')).toBeVisible()
  expect(await admin.call(listClients, { query: {} })).toHaveLength(1)
})

test('an invalid name shows an error at its field', async ({ admin, openConsole }) => {
  const page = await openConsole({ as: admin })
  const client = page.getByRole('textbox', { name: 'Client' })
  await client.fill('Acme | Sons')
  await page.getByRole('button', { name: 'Finish' }).click()
  await expect(client).toHaveAccessibleDescription('A name may not contain "|".')
  await expect(page.getByRole('textbox', { name: 'Site' })).toHaveAccessibleDescription('A name is needed.')
  expect(await admin.call(listClients, { query: {} })).toEqual([])
})
