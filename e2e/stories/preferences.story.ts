import { getDashInfo } from '@muster/contract/api/system'
import { expect, type Locator } from '@playwright/test'
import { machineRow } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { test } from '../support/story.ts'

async function choose(dialog: Locator, label: string, option: string): Promise<void> {
  await dialog.getByRole('combobox', { name: label }).click()
  await dialog.page().getByRole('option', { name: option, exact: true }).click()
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
  const dialog = page.getByRole('dialog', { name: 'Preferences' })
  const save = dialog.getByRole('button', { name: 'Save' })
  await expect(save).toBeDisabled()
  await choose(dialog, 'Dashboard opens with', 'Servers')
  await choose(dialog, 'Order of clients', 'By name')
  await dialog.getByRole('textbox', { name: 'Date format' }).fill('YYYY [year] MM')
  await expect(dialog.getByText(/^2026 year 11/)).toBeVisible()
  await dialog.getByRole('checkbox', { name: 'Compact rows' }).uncheck()
  await dialog.getByRole('checkbox', { name: /^Agent version/ }).check()
  await dialog.getByRole('checkbox', { name: 'Dark mode' }).uncheck()
  await dialog.getByRole('checkbox', { name: /Clear the search/ }).uncheck()
  await dialog.getByRole('checkbox', { name: 'Show community scripts' }).uncheck()
  await dialog.getByRole('textbox', { name: 'Negative' }).fill('no colour at all')
  await expect(save).toBeDisabled()
  await dialog.getByRole('textbox', { name: 'Negative' }).fill('#ab12cd')
  await dialog.getByRole('textbox', { name: 'Loading bar' }).fill('purple')
  await save.click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('Preferences saved.')).toBeVisible()
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

test('leaving changed preferences asks, and a dialog closes with Back', async ({ admin, openConsole }) => {
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin })
  await page.getByRole('button', { name: 'Account of admin' }).click()
  await page.getByRole('menuitem', { name: 'Preferences' }).click()
  const dialog = page.getByRole('dialog', { name: 'Preferences' })
  await expect(dialog).toBeVisible()
  await page.goBack()
  await expect(dialog).toBeHidden()
  await page.goForward()
  await dialog.getByRole('textbox', { name: 'Date format' }).fill('YYYY')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Date format' })).toHaveValue('YYYY')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect(dialog).toBeHidden()
  expect((await admin.call(getDashInfo, {})).date_format).toBe('')
})
