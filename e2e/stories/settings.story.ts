import { getCoreSettings } from '@muster/contract/api/settings'
import { expect } from '@playwright/test'
import { chooseInMenu } from '../support/dashboard.ts'
import { addClient, addScript } from '../support/seed.ts'
import { test } from '../support/story.ts'
import { expectToast } from '../support/toasts.ts'

test('a setting is found by a word of its section, changed, and there again after a reload', async ({
  admin,
  openConsole,
}) => {
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin })
  await chooseInMenu(page, 'Settings', 'All settings')
  await page.getByRole('combobox', { name: 'Search settings' }).fill('retention')
  await expect(page.getByRole('option', { name: 'Raw data, Retention' })).toBeVisible()
  await page.keyboard.press('Enter')
  const days = page.getByRole('textbox', { name: 'Raw data' })
  await expect(days).toBeFocused()
  await expect(page).toHaveURL('/settings/retention')
  await days.fill('14')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Settings saved.')
  await page.reload()
  await expect(days).toHaveValue('14 days')
  expect((await admin.call(getCoreSettings, {})).check_history_prune_days).toBe(14)
})

test('the scripts are a page: its address holds the filter, and Back leaves it', async ({
  admin,
  openConsole,
}) => {
  await addClient(admin, 'Acme')
  await addScript(admin, { name: 'Greet' })
  await addScript(admin, { name: 'Clean up' })
  const page = await openConsole({ as: admin })
  await chooseInMenu(page, 'Automation', 'Scripts')
  await expect(page.getByRole('heading', { level: 1, name: 'Scripts' })).toBeVisible()
  await page.getByRole('textbox', { name: 'Search scripts' }).fill('greet')
  await expect(page.getByRole('row', { name: /Greet/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /Clean up/ })).toHaveCount(0)
  await expect(page).toHaveURL('/scripts?find=greet')
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Search scripts' })).toHaveValue('greet')
  await expect(page.getByRole('row', { name: /Greet/ })).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL('/')
  await page.goto('/?dialog=scripts&filter=clean')
  await expect(page).toHaveURL('/scripts?find=clean')
  await expect(page.getByRole('row', { name: /Clean up/ })).toBeVisible()
})
