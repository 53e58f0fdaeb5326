import { createAlert, getAlert, listAlerts } from '@muster/contract/api/alerts'
import { expect, type Page } from '@playwright/test'
import { addClient } from '../support/seed.ts'
import type { Session } from '../support/sign-in.ts'
import { test } from '../support/story.ts'
import { expectToast } from '../support/toasts.ts'

test('alerts: raised through the API, on every console at once, seen to from bell and list', async ({
  admin,
  openConsole,
}) => {
  await addClient(admin, 'Acme')
  const watcher = await openConsole({ as: admin })
  const page = await openConsole({ as: admin })
  await expect(bell(page, 'Alerts: none open')).toBeVisible()
  await expect(bell(watcher, 'Alerts: none open')).toBeVisible()

  await test.step('a custom alert is counted on both consoles within a second or so', async () => {
    await raise(admin, 'The line is down', 'error')
    for (const each of [page, watcher]) await expect(bell(each, /^Alerts: 1 open/)).toBeVisible()
  })

  await test.step('acknowledged in the bell, it does not call any more', async () => {
    await bell(page, /^Alerts: 1 open/).click()
    await page.getByRole('button', { name: 'Acknowledge The line is down' }).click()
    await expectToast(page, 'Alert acknowledged.')
    await page.getByRole('link', { name: /^All alerts/ }).click()
    await expect(page.getByRole('button', { name: /The line is down .*Acknowledged by admin/ })).toBeVisible()
    await page.getByText('List', { exact: true }).click()
    await expect(row(page, /Error acknowledged .*The line is down/)).toBeVisible()
  })

  await test.step('snoozed until the next reminder, it is counted as snoozed', async () => {
    await raise(admin, 'The backup is late', 'warning')
    await row(page, /The backup is late/).click()
    const dialog = page.getByRole('dialog', { name: 'Alert', exact: true })
    await dialog.getByRole('textbox', { name: 'Note' }).fill('It runs at night.')
    await dialog.getByRole('button', { name: 'Snooze …' }).click()
    await page.getByRole('dialog', { name: 'Snooze alert' }).getByRole('button', { name: 'Snooze' }).click()
    await expect(dialog.getByText('It runs at night.')).toBeVisible()
    await dialog.getByText('Close', { exact: true }).click()
    await expect(row(page, /The backup is late/)).toContainText('snoozed')
    await page.getByText('Snoozed 1', { exact: true }).click()
    await expect(row(page, /The line is down/)).toBeHidden()
    await expect(row(page, /Warning snoozed .*The backup is late/)).toBeVisible()
    await page.getByText(/^Open \d+$/).click()
  })

  await test.step('many are resolved at once, by the keyboard', async () => {
    for (const name of ['first', 'second']) await raise(admin, `The ${name} pump stands`, 'error')
    const grid = page.getByRole('grid', { name: 'Alerts' })
    await expect(row(page, /second pump/)).toBeVisible()
    await page.getByRole('textbox', { name: 'Search alerts' }).fill('pump')
    await expect(grid).toHaveAttribute('aria-rowcount', '3')
    await grid.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Resolve', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click()
    await expectToast(page, '2 alerts resolved.')
    await expect(page.getByText('No alerts match the filter.')).toBeVisible()
    await expect(bell(watcher, 'Alerts: none open')).toBeVisible()
  })

  await test.step('the filters of the list survive a reload', async () => {
    await page.getByText('Resolved 2', { exact: true }).click()
    await expect(row(page, /Error resolved .*first pump/)).toBeVisible()
    await expect(page).toHaveURL(/\/alerts\?.*state=resolved.*/)
    await expect(page).toHaveURL(/search=pump/)
    await page.reload()
    await expect(page.getByRole('textbox', { name: 'Search alerts' })).toHaveValue('pump')
    await expect(state(page, 'Resolved 2')).toBeChecked()
    await expect(row(page, /Error resolved .*second pump/)).toBeVisible()
  })

  await test.step('the log lists who did what', async () => {
    const { alerts } = await admin.call(listAlerts, { body: { search: 'The line' } })
    const { log } = await admin.call(getAlert, { params: { id: alerts[0]?.id ?? 0 } })
    expect(log.map(({ kind, by }) => [kind, by])).toEqual(
      expect.arrayContaining([
        ['opened', expect.any(String)],
        ['acknowledged', 'admin'],
      ]),
    )
  })
})

const bell = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const state = (page: Page, name: string) => page.getByRole('radio', { name })
const row = (page: Page, name: RegExp) =>
  page.getByRole('grid', { name: 'Alerts' }).getByRole('row', { name })

const raise = (admin: Session, message: string, severity: 'error' | 'warning') =>
  admin.call(createAlert, { body: { message, severity, key: message } })
