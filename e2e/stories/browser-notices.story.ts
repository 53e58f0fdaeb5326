import { changeAlert, createAlert } from '@muster/contract/api/alerts'
import { expect } from '@playwright/test'
import { addClient } from '../support/seed.ts'
import { test } from '../support/story.ts'

// Nobody can look at a desktop here, nor hide a window: what the browser is given to show is written down beside it.
const WATCH = `
  window.shown = []
  window.Notification = class extends Notification {
    constructor(title, options) {
      super(title, options)
      shown.push(this)
    }
  }
  Object.defineProperty(document, 'hidden', { get: () => window.isAway === true })`

test('browser notifications: once allowed, new alerts are shown while the page is hidden', async ({
  admin,
  openConsole,
}) => {
  await addClient(admin, 'Acme')
  const raise = (message: string) =>
    admin.call(createAlert, { body: { message, severity: 'error', key: message } })
  const page = await openConsole({ as: admin, permissions: ['notifications'] })
  await page.addInitScript(WATCH)
  await page.reload()
  const shown = () => page.evaluate(`shown.map(({ title, body }) => title + ': ' + body)`)

  await page.getByRole('button', { name: 'Alerts: none open' }).click()
  await page.getByRole('switch', { name: 'Notify me in this browser' }).click()
  await expect.poll(shown).toEqual(['Muster shows new errors and warnings here.: '])

  await raise('The line is down')
  await expect(page.getByRole('button', { name: /^Alerts: 1 open/ })).toBeVisible()
  expect(await shown(), 'while the page is visible').toHaveLength(1)
  await page.evaluate('window.isAway = true')
  const { id } = await raise('The pump stands')
  await expect.poll(shown).toEqual([expect.any(String), 'Error: The pump stands'])
  await admin.call(changeAlert, { params: { id }, body: { type: 'resolve' } })
  await expect(page.getByRole('button', { name: /^Alerts: 1 open/ })).toBeVisible()
  expect(await shown(), 'a resolved one').toHaveLength(2)

  await page.evaluate(`shown[1].dispatchEvent(new Event('click'))`)
  await expect(page.getByRole('article').getByRole('heading', { name: /The pump stands/ })).toBeVisible()
})
