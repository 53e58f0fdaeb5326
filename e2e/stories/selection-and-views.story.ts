import { readFile } from 'node:fs/promises'
import { listTags } from '@muster/contract/api/tags'
import { expect, type Page } from '@playwright/test'
import { searchField, shownMachines } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { test } from '../support/story.ts'
import { expectToast } from '../support/toasts.ts'

const expectShown = (page: Page, ...names: string[]) => expect.poll(() => shownMachines(page)).toEqual(names)

test('an administrator checks machines, tags them, and shares a view of them as a link', async ({
  admin,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme')
  const token = await makeToken(admin, acme, { type: 'workstation' })
  using _fleet = await startMachines(
    admin,
    ['kiosk-1', 'kiosk-2', 'kiosk-3', 'office-1'].map((hostname) => ({
      hostname,
      token,
      needs_reboot: hostname === 'kiosk-3',
    })),
  )
  const page = await openConsole({ as: admin })
  await expectShown(page, 'kiosk-1', 'kiosk-2', 'kiosk-3', 'office-1')

  await test.step('a range by Shift, then all that match', async () => {
    await searchField(page).fill('kiosk')
    await expectShown(page, 'kiosk-1', 'kiosk-2', 'kiosk-3')
    const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
    await box('kiosk-1').click()
    await box('kiosk-2').click({ modifiers: ['Shift'] })
    const bar = page.getByRole('toolbar', { name: 'Selected machines' })
    await expect(bar).toContainText('2 selected')
    await bar.getByRole('button', { name: 'Select all 3 that match' }).click()
    await expect(bar).toContainText('3 selected')
    await bar.getByRole('button', { name: 'Tags' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change tags of 3 machines' })
    await dialog.getByRole('combobox', { name: 'Add' }).fill('reception')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expectToast(page, 'Changed the tags of 3 machines.')
    const tags = await admin.call(listTags, { query: {} })
    expect(tags.map(({ name, agent_count }) => [name, agent_count])).toEqual([['reception', 3]])
  })

  await test.step('the tag is a column and a word of the search', async () => {
    await searchField(page).fill('reception')
    await expectShown(page, 'kiosk-1', 'kiosk-2', 'kiosk-3')
    await expect(page.getByRole('columnheader', { name: 'Tags' })).toBeVisible()
    await page.getByRole('button', { name: '1 reboot needed' }).click()
    await expectShown(page, 'kiosk-3')
  })

  await test.step('a saved view is the same in another browser', async () => {
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Site' }).uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'View: default' }).click()
    await page.getByRole('menuitem', { name: 'Save as new view' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save view' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Reception')
    await dialog.getByRole('checkbox', { name: 'Share with all users' }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page).toHaveURL(/\?view=\d+$/)
    const again = await openConsole({ as: admin, path: new URL(page.url()).search.replace('?', '/?') })
    await expectShown(again, 'kiosk-3')
    await expect(searchField(again)).toHaveValue('reception is:rebootneeded')
    await expect(again.getByRole('columnheader', { name: 'Site' })).toBeHidden()
    const [download] = await Promise.all([
      again.waitForEvent('download'),
      again.getByRole('button', { name: 'Download these machines as CSV' }).click(),
    ])
    const [titles, row, end] = (await readFile(await download.path(), 'utf8')).split('\r\n')
    expect(titles).toContain('"Hostname"')
    expect(titles).not.toContain('"Site"')
    expect(row).toContain('"kiosk-3"')
    expect(end).toBe('')
  })
})
