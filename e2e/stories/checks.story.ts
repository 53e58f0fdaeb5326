import { rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { expect, type Page } from '@playwright/test'
import { machineRow, treeLine } from '../support/dashboard.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

// Checks on this machine itself, with the agent's own program and a disk small enough to fill.
test('checks: results come by themselves, and a disk that fills up turns every console', async ({
  admin,
  server,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme', 'Berlin')
  await using agent = await startAgent({ server: server.url, token: await makeToken(admin, acme) })
  await using disk = await mountSmallDisk()
  const watcher = await openConsole({ as: admin })
  const page = await openConsole({ as: admin })
  await machineRow(page, hostname()).click()
  await page.getByRole('tab', { name: 'Checks' }).click()
  await expect(page.getByText(/has no checks yet/)).toBeVisible()

  await test.step('CPU and memory: the first results come without touching the page', async () => {
    // Other load on this machine must not change the colour of the tree.
    await addCheck(page, 'CPU load', { 'Alert after (consecutive failures)': '10' })
    await expect(checkRow(page, /CPU/)).toContainText(/(passing|no results).* % in use/)
    await addCheck(page, 'Memory', { 'Alert after (consecutive failures)': '10' })
    await expect(checkRow(page, /[Mm]emory/)).toContainText(/ % of .* GB in use/)
  })

  await test.step('a disk with room passes', async () => {
    await addCheck(page, 'Disk space', { Disk: disk.path, Interval: '10' })
    await expect(diskRow(page, disk)).toContainText('passing')
    await expect(machineRow(watcher, hostname())).toContainText(/online[123]/)
    await expect(treeLine(watcher, /Berlin/)).not.toContainText('Check ')
  })

  await test.step('it fills up: warning, then error, on every console', async () => {
    await disk.fill(16)
    await expect(diskRow(page, disk)).toContainText('failing · warning')
    await expect(machineRow(watcher, hostname())).toContainText('1 of 3 checks warning')
    await expect(treeLine(watcher, /Berlin/)).toContainText('Check warning')
    await expect(treeLine(watcher, /Acme/)).toContainText('Check warning')
    await disk.fill(19)
    await expect(diskRow(page, disk)).toContainText('failing · error')
    await expect(page.getByRole('tab', { name: 'Checks 1 failing' })).toBeVisible()
    await expect(machineRow(watcher, hostname())).toContainText('1 of 3 checks failing')
    await expect(treeLine(watcher, /Berlin/)).toContainText('Check failing')
  })

  await test.step('a changed threshold applies at once, to the last measurement', async () => {
    await diskRow(page, disk).dblclick()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('status')).toHaveText(/^Last .*: 1 alert, .* in error/)
    await dialog.getByRole('textbox', { name: 'Warning threshold' }).fill('2')
    await dialog.getByRole('textbox', { name: 'Error threshold' }).fill('1')
    await expect(dialog.getByRole('status')).toHaveText(/^Last .*: no alerts/)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(diskRow(page, disk)).toContainText('passing')
    await diskRow(page, disk).dblclick()
    await dialog.getByRole('textbox', { name: 'Warning threshold' }).fill('25')
    await dialog.getByRole('textbox', { name: 'Error threshold' }).fill('10')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(diskRow(page, disk)).toContainText('failing · error')
  })

  await test.step('room again: it passes, and the tree is calm', async () => {
    await disk.empty()
    await expect(diskRow(page, disk)).toContainText('passing')
    await expect(machineRow(watcher, hostname())).not.toContainText(/checks (failing|warning)/)
    await expect(treeLine(watcher, /Berlin/)).not.toContainText('Check ')
  })

  await test.step('the history shows exact measurements, as a graph and as a table', async () => {
    await diskRow(page, disk).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Show history' }).click()
    const dialog = page.getByRole('dialog')
    const graph = dialog.getByRole('slider', { name: 'Free space over time' })
    await graph.focus()
    await page.keyboard.press('End')
    await expect(graph).toHaveAttribute('aria-valuetext', /: 100 %$/)
    await dialog.getByRole('button', { name: 'Table' }).click()
    const rows = dialog.getByRole('grid', { name: 'Measurements' }).getByRole('row')
    const seen = await rows.count()
    // Titles, with room, warning, error, room again.
    expect(seen).toBeGreaterThanOrEqual(5)
    await expect.poll(() => rows.count()).toBeGreaterThan(seen)
    await dialog.getByRole('button', { name: 'Close' }).click()
  })

  await test.step('a page that the server watches turns failing and passing', async () => {
    await using web = await startWeb()
    await addCheck(page, 'HTTP', { Name: 'Shop', Address: web.url, Interval: '10' })
    await expect(checkRow(page, /HTTP Shop/)).toContainText(/passing.*Answered 200/)
    web.status = 503
    await expect(checkRow(page, /HTTP Shop/)).toContainText('failing · warning')
    await expect(checkRow(page, /HTTP Shop/)).toContainText('Answered 503')
    await expect(treeLine(watcher, /Berlin/)).toContainText('Check warning')
    web.status = 200
    await expect(checkRow(page, /HTTP Shop/)).toContainText('passing')
    await expect(treeLine(watcher, /Berlin/)).not.toContainText('Check ')
  })

  await test.step('run now, reset, delete', async () => {
    await chooseAction(page, disk, 'Clear status')
    await expect(diskRow(page, disk)).toContainText('no results')
    await chooseAction(page, disk, 'Run check')
    await expect(diskRow(page, disk)).toContainText('passing')
    await chooseAction(page, disk, 'Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect(diskRow(page, disk)).toBeHidden()
  })
  await agent.stop()
  agent.expectCleanLog()
})

test('checks: a disk and a link to it are one disk, which fails once', async ({
  admin,
  server,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme', 'Berlin')
  await using agent = await startAgent({ server: server.url, token: await makeToken(admin, acme) })
  await using disk = await mountSmallDisk()
  await disk.fill(19)
  const link = `${disk.path}.link`
  await symlink(disk.path, link)
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => rm(link))
  const page = await openConsole({ as: admin })
  await machineRow(page, hostname()).click()
  await page.getByRole('tab', { name: 'Checks' }).click()

  await addCheck(page, 'Disk space', { Disk: link, Interval: '10' })
  await expect(checkRow(page, /\.link/)).toContainText('failing · error')
  await expect(checkRow(page, /\.link/)).toContainText(`link to ${disk.path}: 1 MB of 20 MB free (5 %)`)

  // The check of the disk itself takes over, whichever was first.
  await addCheck(page, 'Disk space', { Disk: disk.path, Interval: '10' })
  const own = checkRow(page, new RegExp(`${disk.path}(?!\\.)`)).filter({
    hasText: '1 MB of 20 MB free (5 %)',
  })
  await expect(own).toContainText('failing · error')
  await expect(checkRow(page, /\.link/)).toContainText(
    `${link} is a link to ${disk.path}; checked by another check`,
  )
  await expect(checkRow(page, /\.link/)).toContainText('passing')
  await expect(page.getByRole('tab', { name: 'Checks 1 failing' })).toBeVisible()
  await agent.stop()
  agent.expectCleanLog()
})

async function addCheck(page: Page, type: string, fields: Record<string, string>): Promise<void> {
  await page.getByRole('button', { name: 'New check' }).click()
  await page.getByRole('menuitem', { name: type }).click()
  const dialog = page.getByRole('dialog', { name: new RegExp(`^New check .*: ${type}$`) })
  for (const [name, text] of Object.entries(fields)) {
    await dialog.getByLabel(name, { exact: true }).fill(text)
  }
  await dialog.getByRole('button', { name: 'Add check' }).click()
  await expect(dialog).toBeHidden()
}

const checkRow = (page: Page, name: RegExp) =>
  page.getByRole('grid', { name: 'Checks' }).getByRole('row', { name })
const diskRow = (page: Page, { path }: SmallDisk) =>
  page.getByRole('grid', { name: 'Checks' }).getByRole('row').filter({ hasText: path })

async function chooseAction(page: Page, disk: SmallDisk, name: string): Promise<void> {
  await diskRow(page, disk).click({ button: 'right' })
  await page.getByRole('menuitem', { name: new RegExp(`^${name}`) }).click()
}

/** A web server with a settable status. */
async function startWeb() {
  const web = { status: 200 }
  const server = createServer((_, response) => response.writeHead(web.status).end('hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // It listens on a port.
  const { port } = server.address() as AddressInfo
  return Object.assign(web, {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
