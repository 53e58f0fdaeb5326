import { setMaintenance } from '@muster/contract/api/agents'
import { listClients } from '@muster/contract/api/clients'
import { listMaintenanceWindows } from '@muster/contract/api/maintenance'
import { expect, type Page } from '@playwright/test'
import { chooseInMenu, follow, machineRow, treeLine } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, addSite, makeToken } from '../support/seed.ts'
import type { Session } from '../support/sign-in.ts'
import { test } from '../support/story.ts'

/** Acme with two sites and a machine in each. */
async function furnish(admin: Session) {
  const acme = await addClient(admin, 'Acme', 'Berlin')
  const munich = await addSite(admin, acme, 'Munich')
  const fleet = await startMachines(admin, [
    { hostname: 'alpha', token: await makeToken(admin, acme) },
    { hostname: 'bravo', token: await makeToken(admin, acme, { site: munich }) },
  ])
  return { acme, munich, fleet }
}

const dialogOf = (page: Page) => page.getByRole('dialog')
const site = (page: Page) => treeLine(page, /^Berlin/)
const greenSite = (page: Page) => treeLine(page, /^Berlin.*In maintenance mode/)

test('maintenance of a site starts in the dialog, shows green on two consoles, and ends automatically', async ({
  admin,
  openConsole,
  server,
}) => {
  const { fleet } = await furnish(admin)
  using _machines = fleet
  const page = await openConsole({ as: admin })
  const other = await openConsole({ as: admin })
  for (const console of [page, other]) await expect(site(console)).toBeVisible()

  await test.step('the dialog offers the next reminder, and previews the window', async () => {
    await site(page).click({ button: 'right' })
    await page.getByRole('menuitem', { name: /^Start or plan maintenance/ }).click()
    const dialog = dialogOf(page)
    await expect(dialog.getByText('Acme, Berlin')).toBeVisible()
    await expect(dialog.getByLabel('Until', { exact: true })).toHaveValue(/ \d\d:35$/)
    await expect(dialog.getByRole('region', { name: 'Preview' })).toContainText('Starts now, ends')
  })

  await test.step('it is started with a reason', async () => {
    const dialog = dialogOf(page)
    await dialog.getByLabel('Reason').fill('New disks')
    await dialog.getByRole('button', { name: 'Start maintenance' }).click()
    await expect(dialog).toHaveCount(0)
  })

  await test.step('both consoles turn green, with until when and why', async () => {
    for (const console of [page, other]) {
      await expect(greenSite(console)).toBeVisible()
      await expect(treeLine(console, /^Munich.*In maintenance/)).toHaveCount(0)
      await greenSite(console).hover()
      await expect(console.getByText(/In maintenance until .*: New disks/)).toBeVisible()
    }
    await machineRow(other, 'alpha').click()
    await expect(other.getByText(/In maintenance until .*: New disks \(by admin\)/)).toBeVisible()
  })

  await test.step('at its end they are as before', async () => {
    await server.advance(120)
    for (const console of [page, other]) {
      await expect(greenSite(console)).toHaveCount(0)
      await expect(site(console)).toBeVisible()
    }
    const [client] = await admin.call(listClients, { query: {} })
    expect(client?.maintenance_mode).toBe(false)
  })
})

test('a window of every Sunday is planned, shown in the list, changed and deleted; Enter and keys do', async ({
  admin,
  openConsole,
}) => {
  const { fleet } = await furnish(admin)
  using _machines = fleet
  const page = await openConsole({
    as: admin,
    timezoneId: 'Europe/Zurich',
    path: '/?dialog=maintenance&item=client-1',
  })
  const dialog = dialogOf(page)

  await test.step('plan', async () => {
    await dialog.getByRole('combobox', { name: 'When' }).click()
    await page.getByRole('option', { name: 'Every week' }).click()
    await expect(dialog.getByText('Every Sunday at 02:00 for 2 hours (Europe/Zurich)')).toBeVisible()
    await expect(dialog.getByRole('list', { name: 'Next times' }).getByRole('listitem')).toHaveCount(3)
    await dialog.getByRole('button', { name: 'Plan maintenance' }).click()
    await expect(dialog).toHaveCount(0)
  })

  await test.step('the list has it, and opens it with Enter', async () => {
    await chooseInMenu(page, 'Automation', 'Maintenance windows')
    const row = page.getByRole('row', { name: /Acme.*Every Sunday at 02:00 for 2 hours/ })
    await expect(row).toContainText('Next ')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await dialog.getByRole('checkbox', { name: 'Saturday' }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toHaveCount(0)
    const [window] = await admin.call(listMaintenanceWindows, {})
    expect(window?.schedule.weekdays.toSorted((a, b) => a - b)).toEqual([0, 6])
  })

  await test.step('delete', async () => {
    await follow(page, '/maintenance')
    await page.getByRole('row', { name: /Every Saturday and Sunday/ }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByText('No maintenance planned. Alerts are on at all times.')).toBeVisible()
  })
})

test('maintenance of a client without an end is undone, or stands in a banner on every console until it ends', async ({
  admin,
  openConsole,
}) => {
  const { acme, fleet } = await furnish(admin)
  using _machines = fleet
  const page = await openConsole({ as: admin })
  const other = await openConsole({ as: admin })
  const client = (each: Page) => treeLine(each, /^Acme.*In maintenance mode/)
  const banner = (each: Page) => each.getByRole('status').filter({ hasText: 'Maintenance without end time' })
  const start = async () => {
    await treeLine(page, /^Acme/).click({ button: 'right' })
    await page.getByRole('menuitem', { name: /^Start or plan maintenance/ }).click()
    await dialogOf(page).getByRole('checkbox', { name: 'No end time' }).check()
    await dialogOf(page).getByRole('button', { name: 'Start maintenance' }).click()
  }

  await test.step('nothing starts before the dialog, and Undo takes it back', async () => {
    await start()
    await expect(client(other)).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(client(other)).toHaveCount(0)
    await expect(banner(other)).toHaveCount(0)
  })

  await test.step('the other console names it, and gives it an end', async () => {
    await start()
    await expect(banner(other)).toContainText('Acme (2 machines)')
    await banner(other).getByRole('button', { name: 'Set end time' }).click()
    await dialogOf(other).getByRole('checkbox', { name: 'No end time' }).uncheck()
    await dialogOf(other).getByRole('button', { name: 'Save' }).click()
    for (const console of [page, other]) await expect(banner(console)).toHaveCount(0)
    await expect(client(page)).toBeVisible()
  })

  await test.step('maintenance started by a program is listed too, and ends from the list', async () => {
    await treeLine(page, /^Acme/).click({ button: 'right' })
    await page.getByRole('menuitem', { name: /^Disable maintenance mode/ }).click()
    await expect(client(other)).toHaveCount(0)
    await machineRow(page, 'alpha').click({ button: 'right' })
    await page.getByRole('menuitem', { name: /^Enable maintenance mode/ }).click()
    await expect(banner(other)).toContainText('alpha')
    const body = { type: 'Client' as const, id: acme.id, action: true }
    await admin.call(setMaintenance, { body })
    await expect(banner(other)).toContainText('Acme (2 machines)')
    await banner(other).getByRole('button', { name: 'End now' }).click()
    for (const console of [page, other]) {
      await expect(banner(console)).toHaveCount(0)
      await expect(client(console)).toHaveCount(0)
    }
  })
})
