import { listAgents, setMaintenance } from '@muster/contract/api/agents'
import { listClients } from '@muster/contract/api/clients'
import { savePreferences } from '@muster/contract/api/users'
import { expect } from '@playwright/test'
import { machineRow, searchField, shownNodes, treeLine } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, addSite, makeToken } from '../support/seed.ts'
import { test } from '../support/story.ts'

test('a node is green in maintenance mode, else negative, else warning, else plain; each with an icon', async ({
  admin,
  openConsole,
}) => {
  for (const name of ['Calm', 'Failing', 'Maintained', 'Partly', 'Warned']) await addClient(admin, name)
  const clients = await admin.call(listClients, { query: {} })
  const page = await openConsole({ as: admin, path: '/login' })
  // Checks belong to a later version: until then no machine can fail.
  await page.route('**/clients/', (route) =>
    route.fulfill({
      json: clients.map((client) => ({
        ...client,
        agent_count: 2,
        maintenance_mode: client.name === 'Maintained',
        maintenance_count: { Maintained: 2, Partly: 1 }[client.name] ?? 0,
        // A client in maintenance shows no failure.
        failing_checks: {
          error: client.name === 'Failing' || client.name === 'Maintained',
          warning: client.name !== 'Calm' && client.name !== 'Partly',
        },
      })),
    }),
  )
  await page.goto('/')
  const colorOf = (name: string) =>
    treeLine(page, new RegExp(name))
      .first()
      .evaluate((line) => {
        const icon = line.querySelector('svg.tabler-icon-building')
        return icon === null ? '' : (icon.ownerDocument.defaultView?.getComputedStyle(icon).color ?? '')
      })
  await expect(treeLine(page, /Maintained.*In maintenance mode/)).toBeVisible()
  await expect(treeLine(page, /Partly.*1 of 2 machines in maintenance mode/)).toBeVisible()
  await expect(treeLine(page, /Failing.*Check failing/)).toBeVisible()
  await expect(treeLine(page, /Warned.*Check warning/)).toBeVisible()
  await expect(treeLine(page, /Calm.*(check|maintenance)/)).toHaveCount(0)
  // In the colours of the device until those of the user are known.
  await expect.poll(() => colorOf('Maintained')).toBe('rgb(63, 191, 111)')
  expect(await colorOf('Partly')).toBe(await colorOf('Calm'))
  expect(await colorOf('Failing')).toBe('rgb(255, 107, 107)')
  expect(await colorOf('Warned')).toBe('rgb(242, 181, 60)')

  await test.step("the negative and warning colours are the user's own", async () => {
    await admin.call(savePreferences, {
      body: { dash_negative_color: '#ab12cd', dash_warning_color: '#12abcd' },
    })
    await page.reload()
    await expect.poll(() => colorOf('Failing')).toBe('rgb(171, 18, 205)')
    expect(await colorOf('Warned')).toBe('rgb(18, 171, 205)')
  })
  await test.step('alphafail is the default: failing ones first, each group alphabetical, maintenance is none', async () => {
    const names = async () => (await shownNodes(page)).filter((name) => name !== 'Office')
    expect(await names()).toEqual(['All Clients', 'Failing', 'Warned', 'Calm', 'Maintained', 'Partly'])
    await page.getByRole('button', { name: 'Failing first' }).click()
    await expect.poll(names).toEqual(['All Clients', 'Calm', 'Failing', 'Maintained', 'Partly', 'Warned'])
    await page.reload()
    await expect.poll(names).toEqual(['All Clients', 'Calm', 'Failing', 'Maintained', 'Partly', 'Warned'])
  })
})

test('the selected node is in the address as Client|id or Site|id, and the table follows', async ({
  admin,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme', 'Berlin')
  const munich = await addSite(admin, acme, 'Munich')
  const borealis = await addClient(admin, 'Borealis', 'Office')
  using _machines = await startMachines(admin, [
    { hostname: 'in-berlin', token: await makeToken(admin, acme) },
    { hostname: 'in-munich', token: await makeToken(admin, acme, { site: munich }) },
    { hostname: 'at-borealis', token: await makeToken(admin, borealis) },
  ])
  const page = await openConsole({ as: admin })
  const expectMachines = async (...names: string[]) => {
    for (const name of ['in-berlin', 'in-munich', 'at-borealis'])
      await expect(machineRow(page, name)).toBeVisible({ visible: names.includes(name) })
  }
  await expect(treeLine(page, /All Clients/)).toHaveAttribute('aria-selected', 'true')
  await expectMachines('in-berlin', 'in-munich', 'at-borealis')
  await treeLine(page, /Acme/).click()
  await expect(page).toHaveURL(`/?node=Client|${acme.id}`)
  await expectMachines('in-berlin', 'in-munich')
  await treeLine(page, /Munich/).click()
  await expect(page).toHaveURL(`/?node=Site|${munich.id}`)
  await expectMachines('in-munich')
  await page.goBack()
  await expectMachines('in-berlin', 'in-munich')

  await test.step('a copied link shows a colleague the same', async () => {
    const colleague = await openConsole({ as: admin, path: `/?node=Site|${munich.id}` })
    await expect(treeLine(colleague, /Munich/)).toHaveAttribute('aria-selected', 'true')
    await expect(machineRow(colleague, 'in-munich')).toBeVisible()
    await expect(machineRow(colleague, 'in-berlin')).toBeHidden()
  })
  await test.step('selecting a node clears the selected machine', async () => {
    await machineRow(page, 'in-berlin').click()
    await expect(page).toHaveURL(/[?&]agent=/)
    await treeLine(page, /Borealis/).click()
    await expect(page).toHaveURL(`/?node=Client|${borealis.id}`)
  })
  await test.step('the selected node again selects none', async () => {
    await treeLine(page, /Borealis/).click()
    await expect(page).toHaveURL('/')
    await expectMachines('in-berlin', 'in-munich', 'at-borealis')
  })
  await test.step('the search is cleared on switching where the user wants that', async () => {
    await searchField(page).fill('berlin')
    await expect(page).toHaveURL('/?search=berlin')
    await treeLine(page, /Borealis/).click()
    await expect(searchField(page)).toHaveValue('')
    await expect(page).toHaveURL(`/?node=Client|${borealis.id}`)
    await admin.call(savePreferences, { body: { clear_search_when_switching: false } })
    await page.reload()
    await searchField(page).fill('berlin')
    await expect(page).toHaveURL(`/?node=Client|${borealis.id}&search=berlin`)
    await treeLine(page, /Acme/).click()
    await expect(page).toHaveURL(`/?node=Client|${acme.id}&search=berlin`)
    await expect(searchField(page)).toHaveValue('berlin')
  })
})

test('the menus of a client and a site: edit, add site, maintenance mode, install agent, delete with move', async ({
  admin,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme', 'Berlin')
  await addClient(admin, 'Borealis', 'Office')
  using _machines = await startMachines(admin, [{ hostname: 'alpha', token: await makeToken(admin, acme) }])
  const page = await openConsole({ as: admin })
  const choose = async (node: RegExp, item: string | RegExp) => {
    await treeLine(page, node).click({ button: 'right' })
    await page.getByRole('menuitem', { name: item }).click()
  }
  await test.step('edit', async () => {
    await choose(/Acme/, 'Edit Acme')
    const dialog = page.getByRole('dialog', { name: 'Edit Acme' })
    const save = dialog.getByRole('button', { name: 'Save' })
    await expect(save).toBeDisabled()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Acme Dental')
    await save.click()
    await expect(dialog).toBeHidden()
    await expect(treeLine(page, /Acme Dental/)).toBeVisible()
    await expect(page.getByRole('row', { name: /alpha/ })).toContainText('Acme Dental')
  })
  await test.step('add site', async () => {
    await choose(/Acme Dental/, 'Add site')
    const dialog = page.getByRole('dialog', { name: 'Add site' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Munich')
    await dialog.getByRole('button', { name: /Save|Add/ }).click()
    await expect(treeLine(page, /Munich/)).toBeVisible()
  })
  await test.step('maintenance mode', async () => {
    await choose(/Acme Dental/, /^Start or plan maintenance/)
    await page.getByRole('dialog').getByRole('button', { name: 'Start maintenance' }).click()
    await expect(treeLine(page, /Acme Dental.*In maintenance mode/)).toBeVisible()
    await expect(page.getByRole('row', { name: /alpha/ })).toContainText('maintenance')
    await choose(/Berlin/, /^Disable maintenance mode/)
    await expect(page.getByRole('row', { name: /alpha/ })).toContainText('online')
  })
  await test.step('install agent, with client and site chosen already', async () => {
    await choose(/Munich/, 'Install agent')
    const dialog = page.getByRole('dialog', { name: 'Install agent' })
    await expect(dialog.getByRole('combobox', { name: 'Client' })).toHaveValue('Acme Dental')
    await expect(dialog.getByRole('combobox', { name: 'Site' })).toHaveValue('Munich')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })
  await test.step('terminals side by side, of the machines there', async () => {
    await choose(/Acme Dental/, 'Terminals side by side')
    const dialog = page.getByRole('dialog', { name: 'Terminals side by side' })
    await dialog.getByRole('checkbox', { name: /^alpha/ }).check()
    await expect(dialog.getByRole('checkbox')).toHaveCount(1)
    await expect(dialog.getByRole('button', { name: 'Open' })).toBeEnabled()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })
  await test.step('delete asks where the machines go', async () => {
    await choose(/Acme Dental/, 'Delete client')
    const dialog = page.getByRole('dialog', { name: 'Delete client' })
    const sure = dialog.getByRole('button', { name: 'Delete' })
    await dialog.getByRole('textbox', { name: 'Type "Acme Dental" to confirm' }).fill('acme dental')
    await expect(sure).toBeDisabled()
    await dialog.getByRole('combobox', { name: 'Move machines to' }).click()
    await page.getByRole('option', { name: /Office/ }).click()
    await sure.click()
    await expect(treeLine(page, /Acme Dental/)).toBeHidden()
    await expect(page.getByRole('row', { name: /alpha/ })).toContainText('Borealis')
    const machines = await admin.call(listAgents, { query: {} })
    expect(machines).toMatchObject([{ hostname: 'alpha', client_name: 'Borealis' }])
  })
})

test('the tree is walked as WAI-ARIA says, and its menu opens by the keyboard', async ({
  admin,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme', 'Berlin')
  await addSite(admin, acme, 'Munich')
  await addClient(admin, 'Borealis', 'Office')
  const page = await openConsole({ as: admin })
  await treeLine(page, /All Clients/).focus()
  const focused = page.locator('*:focus')
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await press('ArrowDown')
  await expect(focused).toHaveAccessibleName(/^Acme/)
  await press('ArrowLeft')
  await expect(focused).toHaveAttribute('aria-expanded', 'false')
  await expect(treeLine(page, /Berlin/)).toBeHidden()
  await press('ArrowRight', 'ArrowRight')
  await expect(focused).toHaveAccessibleName(/^Berlin/)
  await press('ArrowLeft')
  await expect(focused).toHaveAccessibleName(/^Acme/)
  await press('End')
  await expect(focused).toHaveAccessibleName(/^Office/)
  await press('Home')
  await expect(focused).toHaveAccessibleName(/^All Clients/)
  await press('m')
  await expect(focused).toHaveAccessibleName(/^Munich/)
  await press('Enter')
  await expect(page).toHaveURL(/node=Site\|/)
  await press('Shift+F10')
  await expect(page.getByRole('menuitem', { name: 'Edit Munich' })).toBeFocused()
  await press('Escape')
  await expect(focused).toHaveAccessibleName(/^Munich/)
})

test('the list of clients is asked for 150 ms after the page, and a newer choice cancels an older answer', async ({
  admin,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme')
  const borealis = await addClient(admin, 'Borealis')
  using _machines = await startMachines(admin, [
    { hostname: 'alpha', token: await makeToken(admin, acme) },
    { hostname: 'beta', token: await makeToken(admin, borealis) },
  ])
  const page = await openConsole({ as: admin, path: '/login' })
  await expect(machineRow(page, 'alpha')).toBeVisible()
  await page.reload()
  await expect(treeLine(page, /Acme/)).toBeVisible()
  // The browser's own record of when the new page asked first.
  const waitedMs = await page.evaluate(() => {
    const askedAt = (path: string) =>
      performance.getEntriesByType('resource').find(({ name }) => new URL(name).pathname === path)?.startTime
    return (askedAt('/clients/') ?? 0) - (askedAt('/core/dashinfo/') ?? Infinity)
  })
  expect(waitedMs).toBeGreaterThanOrEqual(140)

  // The answer for the first choice comes after that for the second.
  const late = Promise.withResolvers<void>()
  await page.route(`**/agents/?*client=${acme.id}*`, async (route) => {
    await late.promise
    await route.continue().catch(() => undefined)
  })
  await treeLine(page, /Acme/).click()
  await treeLine(page, /Borealis/).click()
  await expect(machineRow(page, 'beta')).toBeVisible()
  late.resolve()
  await expect(machineRow(page, 'alpha')).toBeHidden()
  await expect(machineRow(page, 'beta')).toBeVisible()
})

test('maintenance mode that the API sets is on screen within a second', async ({ admin, openConsole }) => {
  const acme = await addClient(admin, 'Acme')
  using _machines = await startMachines(admin, [{ hostname: 'alpha', token: await makeToken(admin, acme) }])
  const page = await openConsole({ as: admin })
  await expect(machineRow(page, 'alpha')).toBeVisible()
  await admin.call(setMaintenance, { body: { type: 'Client', id: acme.id, action: true } })
  await expect(machineRow(page, 'alpha')).toContainText('maintenance')
})
