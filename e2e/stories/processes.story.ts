import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { expect } from '@playwright/test'
import { machineRow } from '../support/dashboard.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

test('a process of a real machine is found, sorted, ended, and seen to go', async ({
  admin,
  server,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme')
  await using _agent = await startAgent({ server: server.url, token: await makeToken(admin, acme) })
  const page = await openConsole({ as: admin })
  await machineRow(page, hostname()).click()
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'Processes' }).click()
  await expect(page.getByText('Live')).toBeVisible()
  const grid = page.getByRole('grid', { name: 'Processes' })
  const numbers = async () => {
    const cells = await grid.locator('[role=row] > [role=gridcell]:nth-child(2)').allTextContents()
    return cells.map(Number)
  }
  const heading = grid.getByRole('columnheader', { name: 'PID' })
  await heading.getByText('PID').click()
  await expect(heading).toHaveAttribute('aria-sort', 'ascending')
  await expect.poll(async () => (await numbers())[0]).toBe(1)
  const upwards = await numbers()
  expect(upwards.length).toBeGreaterThan(5)
  expect(upwards).toEqual(upwards.toSorted((one, other) => one - other))
  // Started while the list is open, with a unique number in its command line.
  const child = spawn('sleep', ['1000.4711'])
  const ended = once(child, 'exit')
  try {
    await page.getByRole('textbox', { name: 'Search processes' }).fill(`sleep 1000.4711 pid:${child.pid}`)
    const row = grid.getByRole('row', { name: /1000\.4711/ })
    await expect(row).toBeVisible()
    await row.click()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: `End sleep on ${hostname()}?` })
    await dialog.getByRole('button', { name: 'End' }).click()
    expect((await ended)[1]).toBe('SIGTERM')
    await expect(dialog).toBeHidden()
    await expect(row).toBeHidden()
    await expect(page.getByText('No processes match the search.')).toBeVisible()
  } finally {
    child.kill('SIGKILL')
  }
  await page.getByRole('tab', { name: 'Audit' }).click()
  await expect(page.getByText(`Ended process ${child.pid} "sleep"`)).toBeVisible()
})
