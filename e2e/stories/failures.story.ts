import { listAgents } from '@muster/contract/api/agents'
import { expect, type Page } from '@playwright/test'
import { machineRow, treeLine } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import type { Session } from '../support/sign-in.ts'
import { type OpenOptions, test } from '../support/story.ts'
import { refusedWith } from '../support/watch-browser.ts'

// Responses that a healthy server never sends are faked; everything else is real.
const refusal = { detail: 'Your role does not allow this.', code: 'not_allowed', request_id: 'req-403' }
const broken = { detail: 'Something went wrong on the server.', code: 'internal', request_id: 'req-500' }

type Open = (options?: OpenOptions) => Promise<Page>

async function openDashboard(admin: Session, openConsole: Open) {
  const acme = await addClient(admin, 'Acme')
  const fleet = await startMachines(admin, [{ hostname: 'alpha', token: await makeToken(admin, acme) }])
  const page = await openConsole({ as: admin })
  await expect(machineRow(page, 'alpha')).toBeVisible()
  return { page, fleet, agentId: fleet.machines[0]?.agentId ?? '' }
}

test('a refused GET shows the no-permission state in its place, and no toast', async ({
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(403))
  const { page, fleet, agentId } = await openDashboard(admin, openConsole)
  using _machines = fleet
  for (const path of ['**/agents/?*', '**/agents/', '**/clients/'])
    await page.route(path, (route) =>
      route.request().resourceType() === 'document'
        ? route.continue()
        : route.fulfill({ status: 403, json: refusal }),
    )
  await page.reload()
  await expect(page.getByText('Your role does not allow you to see machines.')).toBeVisible()
  await expect(page.getByText('Your role does not allow you to see clients.')).toBeVisible()
  await expect(page.getByText(refusal.detail)).toBeHidden()
  await page.route(`**/agents/${agentId}/`, (route) => route.fulfill({ status: 403, json: refusal }))
  await page.goto(`/agents/${agentId}`)
  await expect(page.getByText('Your role does not allow you to see machines.')).toBeVisible()
})

test('a refused action says so in words', async ({ admin, openConsole, expected }) => {
  expected.browser.push(refusedWith(403))
  const { page, fleet } = await openDashboard(admin, openConsole)
  using _machines = fleet
  await page.route('**/agents/*/', (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 403, json: refusal }) : route.continue(),
  )
  await machineRow(page, 'alpha').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Enable maintenance mode' }).click()
  await expect(page.getByText(refusal.detail)).toBeVisible()
  await expect(machineRow(page, 'alpha')).toContainText('online')
})

test('a 5xx says something useful with the request id, and can be tried again', async ({
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(500), /Failed to load agents/)
  const { page, fleet } = await openDashboard(admin, openConsole)
  using _machines = fleet
  await page.route('**/agents/?*', (route) => route.fulfill({ status: 500, json: broken }))
  await page.getByRole('tab', { name: /Servers/ }).click()
  const alert = page.getByRole('alert').filter({ hasText: broken.detail })
  await expect(alert).toContainText('req-500')
  await page.unroute('**/agents/?*')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await expect(machineRow(page, 'alpha')).toBeVisible()

  await test.step('a write too', async () => {
    await page.route('**/agents/*/', (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 500, json: broken }) : route.continue(),
    )
    await machineRow(page, 'alpha').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Enable maintenance mode' }).click()
    await expect(page.getByText(broken.detail)).toBeVisible()
    await expect(page.getByText(/req-500/)).toBeVisible()
  })
})

test("a 5xx that is none of the server's own (a proxy's page) is said too", async ({
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(502), /Failed to load agents/)
  const { page, fleet } = await openDashboard(admin, openConsole)
  using _machines = fleet
  await page.route('**/agents/?*', (route) =>
    route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
  )
  await page.getByRole('tab', { name: /Servers/ }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'The server returned 502' })).toBeVisible()
})

test('a server that does not respond in time is reported, and the request may still take effect', async ({
  admin,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme')
  using _machines = await startMachines(admin, [{ hostname: 'alpha', token: await makeToken(admin, acme) }])
  const page = await openConsole({ as: admin, path: '/login' })
  await page.clock.install()
  await page.goto('/')
  await expect(machineRow(page, 'alpha')).toBeVisible()
  const hold = Promise.withResolvers<void>()
  await page.route('**/agents/*/', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue()
    await hold.promise
    return route.abort().catch(() => undefined)
  })
  const asked = page.waitForRequest((request) => request.method() === 'PUT')
  await machineRow(page, 'alpha').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Enable maintenance mode' }).click()
  await asked
  await page.clock.runFor(31_000)
  await expect(
    page.getByText('The server did not respond in time. It may still process the request.'),
  ).toBeVisible()
  hold.resolve()
})

test('the tree is ready when loading fails, and says why', async ({ admin, openConsole, expected }) => {
  expected.browser.push(refusedWith(500), /Failed to load agents/)
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin, path: '/login' })
  await expect(treeLine(page, /Acme/)).toBeVisible()
  await page.route('**/clients/', (route) => route.fulfill({ status: 500, json: broken }))
  await page.reload()
  const pane = page.getByRole('navigation', { name: 'Clients and sites' })
  await expect(pane.getByRole('alert')).toContainText(broken.detail)
  await expect(pane.getByRole('alert')).toContainText('req-500')
  await page.unroute('**/clients/')
  await pane.getByRole('button', { name: 'Try again' }).click()
  await expect(treeLine(page, /Acme/)).toBeVisible()
})

test('equal notifications are one with a counter, and a message can be dismissed', async ({
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(500), /Failed to load agents/)
  const { page, fleet } = await openDashboard(admin, openConsole)
  using _machines = fleet
  await page.route('**/agents/*/', (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 500, json: broken }) : route.continue(),
  )
  for (let time = 1; time <= 2; time++) {
    await machineRow(page, 'alpha').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Enable maintenance mode' }).click()
  }
  await expect(page.getByLabel('2 times')).toBeVisible()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(page.getByText(broken.detail)).toBeHidden()
})

test('a machine that is not there says so, and the address of none does too', async ({
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(404), refusedWith(400))
  const { page, fleet, agentId } = await openDashboard(admin, openConsole)
  using _machines = fleet
  for (const path of [`/agents/${'x'.repeat(40)}`, '/agents/no', `/agents/${agentId}x`]) {
    await page.goto(path)
    await expect(page.getByText('Machine not found. You may not have access to it.')).toBeVisible()
  }
  expect(await admin.call(listAgents, { query: {} })).toHaveLength(1)
})

test('a part of the console that is not on the server any more asks for a reload', async ({
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(404), /Failed to fetch dynamically imported module|Unable to preload CSS/)
  const { page, fleet } = await openDashboard(admin, openConsole)
  using _machines = fleet
  // As after an update of the server, while this page is still the old one.
  await page.route('**/assets/PreferencesSection*', (route) => route.fulfill({ status: 404, body: '' }))
  await page.getByRole('button', { name: 'Account of admin' }).click()
  await page.getByRole('menuitem', { name: 'Preferences' }).click()
  await expect(page.getByText('Reload the page and try again.')).toBeVisible()
  await page.unroute('**/assets/PreferencesSection*')
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('region', { name: 'Preferences' })).toBeVisible()
})

for (const [why, fulfil] of [
  ['throws while it starts', { contentType: 'text/javascript', body: 'throw new Error("no start")' }],
  ['cannot be loaded', { status: 404, contentType: 'text/plain', body: 'gone' }],
] as const) {
  test(`spec, start-up errors: a program that ${why} leaves one sentence with Reload`, async ({
    admin,
    openConsole,
    expected,
  }) => {
    expected.browser.push(/no start/, /Failed to load resource/)
    const { page, fleet } = await openDashboard(admin, openConsole)
    using _machines = fleet
    await page.route('**/assets/*.js', (route) => route.fulfill(fulfil))
    await page.reload()
    await expect(page.getByRole('alert')).toContainText('The console could not start.')
    await page.unroute('**/assets/*.js')
    await page.getByRole('button', { name: 'Reload' }).click()
    await expect(machineRow(page, 'alpha')).toBeVisible()
    await expect(page.getByText('The console could not start.')).toBeHidden()
  })
}
