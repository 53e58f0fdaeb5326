import { editAgent, listAgents } from '@muster/contract/api/agents'
import { editClient } from '@muster/contract/api/clients'
import { savePreferences } from '@muster/contract/api/users'
import { expect } from '@playwright/test'
import { machineRow, machineTable, treeLine } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, addSite, makeToken } from '../support/seed.ts'
import { readStorage } from '../support/sign-in-page.ts'
import { test } from '../support/story.ts'
import { SERVER_GONE, refusedWith } from '../support/watch-browser.ts'

// "A change that the server knows is on every open console within 1 s"; the bench measures it. Without an event nothing
// would change for minutes.

test("two consoles see each other's changes within a second, and no selection moves", async ({
  admin,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme', 'Berlin')
  const token = await makeToken(admin, acme)
  using fleet = await startMachines(admin, [
    { hostname: 'alpha', token },
    { hostname: 'beta', token },
  ])
  const one = await openConsole({ as: admin })
  const two = await openConsole({ as: admin, path: `/?node=Client|${acme.id}` })
  await machineRow(two, 'beta').click()
  await expect(two).toHaveURL(/agent=/)
  const selected = two.url()
  await expect(machineRow(one, 'alpha')).toBeVisible()

  await test.step('a client that one of them renames', async () => {
    await treeLine(one, /Acme/).click({ button: 'right' })
    await one.getByRole('menuitem', { name: 'Edit Acme' }).click()
    await one.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Acme Dental')
    await one.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await expect(one.getByRole('dialog')).toBeHidden()
    await expect(treeLine(two, /Acme Dental/)).toBeVisible()
    await expect(machineRow(two, 'beta')).toContainText('Acme Dental')
  })
  await test.step('a description that one of them gives', async () => {
    await machineRow(one, 'alpha').dblclick()
    const dialog = one.getByRole('dialog', { name: 'Edit alpha' })
    await dialog.getByRole('textbox', { name: 'Description' }).fill('Front desk')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toBeHidden()
    await expect(machineRow(two, 'alpha')).toContainText('Front desk')
  })
  await test.step('a site and a client that the API adds', async () => {
    await addSite(admin, acme, 'Munich')
    await addClient(admin, 'Borealis')
    for (const page of [one, two]) {
      await expect(treeLine(page, /Munich/)).toBeVisible()
      await expect(treeLine(page, /Borealis/)).toBeVisible()
    }
  })
  await test.step('facts that a machine reports', async () => {
    fleet.machines[0]?.report({ kind: 'facts', facts: { logged_in_user: 'grace', needs_reboot: true } })
    for (const page of [one, two]) {
      await expect(machineRow(page, 'alpha')).toContainText('grace')
      await expect(machineRow(page, 'alpha').getByRole('img', { name: 'Reboot needed' })).toBeVisible()
    }
  })
  expect(two.url()).toBe(selected)
})

test('a new machine appears without a reload; a lost link shows within 5 s, and the machine comes back', async ({
  admin,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme')
  const token = await makeToken(admin, acme)
  const page = await openConsole({ as: admin })
  await expect(page.getByText('No machines yet.')).toBeVisible()
  using fleet = await startMachines(admin, [{ hostname: 'alpha', token }])
  await expect(machineRow(page, 'alpha')).toContainText('online')
  await expect(treeLine(page, /Acme/)).toContainText('1')
  await expect(page.getByRole('button', { name: /^1 machine/ })).toBeVisible()
  fleet.machines[0]?.disconnect()
  await expect(machineRow(page, 'alpha')).toContainText('away')
  await expect(page.getByRole('button', { name: /1 offline/ })).toBeVisible()
  fleet.machines[0]?.connect()
  await expect(machineRow(page, 'alpha')).toContainText('online')
})

test('changes during the setup of the live link are not missed', async ({ admin, openConsole }) => {
  const acme = await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin, path: '/login' })
  await expect(page.getByText('No machines yet.')).toBeVisible()
  const linked = Promise.withResolvers<void>()
  await page.route('**/core/socket-ticket/', async (route) => {
    await linked.promise
    await route.continue()
  })
  await page.reload()
  await expect(page.getByText('No machines yet.')).toBeVisible()
  using _machines = await startMachines(admin, [{ hostname: 'alpha', token: await makeToken(admin, acme) }])
  await addSite(admin, acme, 'Munich')
  linked.resolve()
  await expect(machineRow(page, 'alpha')).toContainText('online')
  await expect(treeLine(page, /Munich/)).toBeVisible()
})

test('losing the server shows a banner with the age of what is on screen; coming back re-syncs automatically', async ({
  server,
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(SERVER_GONE)
  const acme = await addClient(admin, 'Acme')
  using fleet = await startMachines(admin, [{ hostname: 'alpha', token: await makeToken(admin, acme) }])
  const page = await openConsole({ as: admin, path: `/?node=Client|${acme.id}` })
  await machineRow(page, 'alpha').click()
  await expect(page.getByRole('heading', { name: 'alpha' })).toBeVisible()
  await expect(page).toHaveURL(/agent=/)
  const { url } = { url: page.url() }
  await server.stop()
  const banner = page.getByRole('status').filter({ hasText: 'The server cannot be reached.' })
  await expect(banner).toContainText(/What you see is .+ old\./)
  await expect(machineRow(page, 'alpha')).toBeVisible()
  await server.start()
  await admin.call(editClient, { params: { id: acme.id }, body: { client: { name: 'Acme Dental' } } })
  await expect(banner).toBeHidden()
  // Automatic requests of the console have shown no error.
  await expect(page.getByRole('button', { name: 'Dismiss' })).toHaveCount(0)
  await fleet.waitForConnected()
  await expect(machineRow(page, 'alpha')).toContainText('online')
  await expect(machineRow(page, 'alpha')).toContainText('Acme Dental')
  expect(page.url()).toBe(url)
})

test('the first version seen is kept in rmmver; another one shows the banner, and Reload forgets it', async ({
  admin,
  openConsole,
}) => {
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin })
  await expect.poll(async () => (await readStorage(page))['rmmver']).toMatch(/^\d+\.\d+\.\d+/)
  const { rmmver: version = '' } = await readStorage(page)
  const banner = page
    .getByRole('status')
    .filter({ hasText: 'The server has another version of the console.' })
  await expect(banner).toBeHidden()
  await page.evaluate(`localStorage.setItem('rmmver', '0.0.9')`)
  await page.reload()
  await expect(banner).toBeVisible()
  expect((await readStorage(page))['rmmver']).toBe('0.0.9')
  await banner.getByRole('button', { name: 'Reload' }).click()
  await expect(banner).toBeHidden()
  await expect.poll(async () => (await readStorage(page))['rmmver']).toBe(version)
})

test('the version is asked for every four minutes', async ({ admin, openConsole }) => {
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin, path: '/login' })
  await page.clock.install()
  await page.goto('/')
  await expect(treeLine(page, /Acme/)).toBeVisible()
  await page.route('**/core/version/', (route) => route.fulfill({ json: '9.9.9' }))
  const asked = page.waitForRequest('**/core/version/')
  await page.clock.runFor(4 * 60_000)
  await asked
  await expect(page.getByText('The server has another version of the console.')).toBeVisible()
})

test('Refresh reloads info, machines and tree and clears the tree selection, not the machine', async ({
  admin,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme')
  using _machines = await startMachines(admin, [{ hostname: 'alpha', token: await makeToken(admin, acme) }])
  const page = await openConsole({ as: admin, path: `/?node=Client|${acme.id}` })
  await machineRow(page, 'alpha').click()
  await expect(page).toHaveURL(/node=.*agent=/)
  const asked = new Set<string>()
  page.on('request', (request) => asked.add(new URL(request.url()).pathname))
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page).toHaveURL(/^[^?]*\?agent=\w+$/)
  await expect
    .poll(() => [...asked].filter((path) => /(dashinfo|clients|agents)\/$/.test(path)).sort())
    .toEqual(['/agents/', '/clients/', '/core/dashinfo/'])
})

test('removing a machine is a forced refresh: it clears the selected machine too', async ({
  admin,
  openConsole,
  expected,
}) => {
  // Its details may be asked for once more while it goes.
  expected.browser.push(/status of 404 .*\/agents\/\w{40}\//)
  const acme = await addClient(admin, 'Acme')
  using _machines = await startMachines(admin, [{ hostname: 'alpha', token: await makeToken(admin, acme) }])
  const page = await openConsole({ as: admin, path: `/?node=Client|${acme.id}` })
  await machineRow(page, 'alpha').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Remove machine' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('yes')
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(machineRow(page, 'alpha')).toBeHidden()
  await expect(page).toHaveURL('/')
  expect(await admin.call(listAgents, { query: {} })).toEqual([])
})

test("the table shows that it loads only after 50 ms; the bar on top runs with requests, 4 px in the user's colour", async ({
  admin,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme')
  using _machines = await startMachines(admin, [{ hostname: 'alpha', token: await makeToken(admin, acme) }])
  await admin.call(savePreferences, { body: { loading_bar_color: '#ab12cd' } })
  const page = await openConsole({ as: admin })
  await expect(machineRow(page, 'alpha')).toBeVisible()
  const answer = Promise.withResolvers<void>()
  await page.route('**/agents/?*', async (route) => {
    await answer.promise
    await route.continue()
  })
  await page.getByRole('tab', { name: /Servers/ }).click()
  await expect(
    page.getByRole('tabpanel', { name: 'Servers' }).getByRole('status', { name: 'Loading' }),
  ).toBeVisible()
  const bar = await page.evaluate<{ height: string; color: string }>(`(() => {
    const bar = document.querySelector('[data-active]')
    const style = bar && getComputedStyle(bar)
    return { height: style?.height, color: style?.backgroundColor + style?.backgroundImage + getComputedStyle(bar, '::after').backgroundColor }
  })()`)
  expect(bar.height).toBe('4px')
  expect(bar.color).toContain('171, 18, 205')
  answer.resolve()
  await expect(machineRow(page, 'alpha')).toBeVisible()
  await expect(page.getByRole('status', { name: 'Loading' })).toBeHidden()
})

test('dark and light are switched at once, and kept for the user everywhere', async ({
  admin,
  openConsole,
}) => {
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin })
  const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme')
  await expect.poll(scheme).toBe('dark')
  await page.getByRole('button', { name: 'Light mode' }).click()
  await expect.poll(scheme).toBe('light')
  await page.reload()
  await expect(page.getByRole('button', { name: 'Dark mode' })).toBeVisible()
  const elsewhere = await openConsole({ as: admin, colorScheme: 'dark' })
  await expect(elsewhere.getByRole('button', { name: 'Dark mode' })).toBeVisible()
  await expect(elsewhere.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light')
})

test('a description that cannot be saved any more says why', async ({ admin, openConsole, expected }) => {
  expected.browser.push(refusedWith(409), refusedWith(404))
  const acme = await addClient(admin, 'Acme')
  using fleet = await startMachines(admin, [{ hostname: 'alpha', token: await makeToken(admin, acme) }])
  const page = await openConsole({ as: admin })
  await machineRow(page, 'alpha').dblclick()
  const dialog = page.getByRole('dialog', { name: 'Edit alpha' })
  await dialog.getByRole('textbox', { name: 'Description' }).fill('mine')
  const params = { agent_id: fleet.machines[0]?.agentId ?? '' }
  await admin.call(editAgent, { params, body: { description: 'theirs' } })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toContainText('Another user has changed this machine')
  await expect(dialog.getByRole('textbox', { name: 'Description' })).toHaveValue('mine')
  await dialog.getByRole('button', { name: 'Use the new values' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Description' })).toHaveValue('mine')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await expect(machineTable(page)).toContainText('mine')
})
