import { getDashInfo } from '@muster/contract/api/system'
import { expect, type Locator } from '@playwright/test'
import { machineRow } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { test } from '../support/story.ts'
import { expectToast } from '../support/toasts.ts'

async function choose(form: Locator, label: string, option: string): Promise<void> {
  await form.getByRole('combobox', { name: label }).click()
  await form.page().getByRole('option', { name: option, exact: true }).click()
}

test('each preference is saved, takes effect at once, and is there again elsewhere', async ({
  admin,
  openConsole,
}) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  using _machines = await startMachines(admin, [{ hostname: 'alpha', token }])
  const page = await openConsole({ as: admin })
  await expect(machineRow(page, 'alpha')).toBeVisible()
  await page.getByRole('button', { name: 'Account of admin' }).click()
  await page.getByRole('menuitem', { name: 'Preferences' }).click()
  const form = page.getByRole('region', { name: 'Preferences' })
  const save = form.getByRole('button', { name: 'Save' })
  await expect(save).toBeDisabled()
  await choose(form, 'Dashboard opens with', 'Servers')
  await choose(form, 'Order of clients', 'By name')
  await form.getByRole('textbox', { name: 'Date format' }).fill('YYYY [year] MM')
  await expect(form.getByText(/^2026 year 11/)).toBeVisible()
  await form.getByRole('checkbox', { name: 'Compact rows' }).uncheck()
  await form.getByRole('checkbox', { name: /^Agent version/ }).check()
  await form.getByRole('checkbox', { name: 'Dark mode' }).uncheck()
  await form.getByRole('checkbox', { name: /Clear the search/ }).uncheck()
  await form.getByRole('checkbox', { name: 'Show community scripts' }).uncheck()
  await form.getByRole('textbox', { name: 'Negative' }).fill('no colour at all')
  await expect(save).toBeDisabled()
  await form.getByRole('textbox', { name: 'Negative' }).fill('#ab12cd')
  await form.getByRole('textbox', { name: 'Loading bar' }).fill('purple')
  await save.click()
  await expectToast(page, 'Preferences saved.')
  await page.goBack()
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light')
  await expect.poll(async () => (await machineRow(page, 'alpha').boundingBox())?.height).toBe(40)
  await expect(page.getByRole('columnheader', { name: 'Agent' })).toBeVisible()
  expect(await admin.call(getDashInfo, {})).toMatchObject({
    default_agent_tbl_tab: 'server',
    client_tree_sort: 'alpha',
    date_format: 'YYYY [year] MM',
    compact_rows: false,
    show_agent_version: true,
    dark_mode: false,
    clear_search_when_switching: false,
    show_community_scripts: false,
    dash_negative_color: '#ab12cd',
    loading_bar_color: 'purple',
  })
  const elsewhere = await openConsole({ as: admin, colorScheme: 'dark' })
  await expect(elsewhere.getByRole('tab', { name: /Servers/ })).toHaveAttribute('aria-selected', 'true')
  await expect(elsewhere.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light')
})

test('leaving changed preferences asks, and Back returns to the page before', async ({
  admin,
  openConsole,
}) => {
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin })
  await page.getByRole('button', { name: 'Account of admin' }).click()
  await page.getByRole('menuitem', { name: 'Preferences' }).click()
  const form = page.getByRole('region', { name: 'Preferences' })
  await expect(form).toBeVisible()
  await page.goBack()
  await expect(form).toBeHidden()
  await page.goForward()
  await form.getByRole('textbox', { name: 'Date format' }).fill('YYYY')
  await page.getByRole('link', { name: 'Retention' }).click()
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(form.getByRole('textbox', { name: 'Date format' })).toHaveValue('YYYY')
  await page.getByRole('link', { name: 'Retention' }).click()
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect(page.getByRole('region', { name: 'Retention' })).toBeVisible()
  expect((await admin.call(getDashInfo, {})).date_format).toBe('')
})
