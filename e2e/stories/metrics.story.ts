import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { expect } from '@playwright/test'
import { chooseAction, machineRow } from '../support/dashboard.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

test('metrics of a machine arrive within seconds, show exact values, and can be downloaded', async ({
  admin,
  server,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme')
  await using _agent = await startAgent({ server: server.url, token: await makeToken(admin, acme) })
  const page = await openConsole({ as: admin })
  await machineRow(page, hostname()).click()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/agents\//)
  await page.getByRole('tab', { name: 'Metrics' }).click()
  await page.getByText('1 h', { exact: true }).click()
  await expect(page).toHaveURL(/entry=1h/)
  const cpu = page.getByRole('slider', { name: 'Processor over time' })
  await expect(cpu).toBeVisible()
  for (const name of ['Memory', 'Load', 'Network in', 'Disk / in use']) {
    await expect(page.getByRole('slider', { name: `${name} over time` })).toBeVisible()
  }
  await cpu.press('End')
  await expect(cpu).toHaveAttribute('aria-valuetext', /: \d+(\.\d+)? %$/)
  await test.step('values arrive each second while the pane is open, and not for longer', async () => {
    await page.getByText('Live', { exact: true }).click()
    await expect(page).toHaveURL(/entry=live/)
    await expect(page.getByText('Live, every second')).toBeVisible()
    const values = new Set<string | null>()
    await expect
      .poll(async () => values.add(await cpu.getAttribute('aria-valuetext')).size)
      .toBeGreaterThan(4)
    let asked = 0
    page.on('request', (request) => (asked += request.url().includes('/metrics/live/') ? 1 : 0))
    await page.getByRole('tab', { name: 'Notes' }).click()
    await expect(page.getByText('Live, every second')).toBeHidden()
    const whenLeft = asked
    await page.getByRole('tab', { name: 'History' }).click()
    await expect(page.getByRole('tab', { name: 'History' })).toHaveAttribute('aria-selected', 'true')
    expect(asked).toBe(whenLeft)
    await page.getByRole('tab', { name: 'Metrics' }).click()
    await expect(page.getByText('Live, every second')).toBeVisible()
    expect(asked).toBeGreaterThan(whenLeft)
  })
  await page.getByText('24 h', { exact: true }).click()
  await expect(page).not.toHaveURL(/entry=/)

  await test.step('events are listed below, and link to their details', async () => {
    await chooseAction(page, 'Send command')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Command' }).fill('echo hello')
    await dialog.getByRole('button', { name: 'Send command' }).click()
    await expect(dialog).toContainText('exit code 0')
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    const row = page.getByRole('grid', { name: 'Events' }).getByRole('row', { name: /echo hello/ })
    await expect(row).toBeVisible()
    await row.dblclick()
    await expect(page).toHaveURL(/pane=history&entry=\d+/)
    await page.goBack()
    await page.getByRole('tab', { name: 'Metrics' }).click()
  })

  await test.step('the machine is compared with others, also by the metrics of its checks', async () => {
    await page.getByRole('button', { name: 'Compare' }).click()
    const dialog = page.getByRole('dialog', { name: 'Compare machines' })
    await expect(dialog.getByRole('slider', { name: 'Processor of one machine over time' })).toBeVisible()
    await expect(dialog.getByRole('button', { name: hostname(), pressed: true })).toBeVisible()
    await dialog.getByRole('button', { name: 'Close' }).click()
  })

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download these numbers as CSV' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe(`${hostname()}-metrics.csv`)
  const text = await readFile(await file.path(), 'utf8')
  expect(text).toMatch(/^\uFEFF?"?Time"?,/)
  expect(text).toContain('Processor')
})
