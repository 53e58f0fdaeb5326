import { createApiKey } from '@muster/contract/api/api-keys'
import { listClients } from '@muster/contract/api/clients'
import { getMe } from '@muster/contract/api/users'
import { expect, type Page } from '@playwright/test'
import { addClient } from '../support/seed.ts'
import { test } from '../support/story.ts'
import { refusedWith } from '../support/watch-browser.ts'

const JSON_FILE = '/openapi.json'

/** Opens the page, and collects the addresses of everything that it requests. */
async function openDocs(page: Page): Promise<string[]> {
  const requested: string[] = []
  page.context().on('request', (request) => requested.push(request.url()))
  await page.goto('/docs/')
  await expect(page.getByRole('heading', { name: 'Muster API' })).toBeVisible()
  return requested
}

/** Finds an endpoint by the search of the page. */
async function findEndpoint(page: Page, name: string): Promise<void> {
  await page
    .getByRole('button', { name: /search/i })
    .first()
    .click()
  await page.keyboard.type(name)
  await page.getByRole('option', { name }).first().click()
  await expect(page.getByRole('heading', { name, exact: true })).toBeInViewport()
}

/** Sends the example of an endpoint, and waits for the response. */
async function tryEndpoint(page: Page, call: string) {
  await page.getByRole('button', { name: `(${call})` }).click()
  const path = call.split(' ').at(-1) ?? ''
  const [response] = await Promise.all([
    page.waitForResponse((response) => new URL(response.url()).pathname === path),
    page.getByRole('dialog').getByRole('button', { name: 'Send' }).first().click(),
  ])
  return response
}

test('an administrator finds an endpoint in the API documentation and calls it, and nothing leaves the server', async ({
  admin,
  server,
  openConsole,
}) => {
  await addClient(admin, 'Birch')
  const page = await openConsole({ as: admin, path: '/health/', colorScheme: 'dark' })
  const requested = await openDocs(page)
  await expect(page.locator('body')).toHaveClass(/dark-mode/)
  await page.getByLabel('Set light mode').click()
  await expect(page.locator('body')).toHaveClass(/light-mode/)

  await findEndpoint(page, 'List clients with their sites that the caller may see')
  const read = await tryEndpoint(page, 'get /clients/')
  expect(read.status()).toBe(200)
  await expect(page.getByRole('dialog').getByText('"Birch"').first()).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await findEndpoint(page, 'Add a client with its first site')
  const written = await tryEndpoint(page, 'post /clients/')
  expect(written.status()).toBe(200)
  const clients = await admin.call(listClients, { query: {} })
  expect(clients.map(({ name }) => name).sort()).toEqual(['Acme', 'Birch'])

  expect(requested.map((url) => new URL(url).pathname)).toContain(JSON_FILE)
  expect(requested.filter((url) => !url.startsWith(server.url) && !/^(blob|data):/.test(url))).toEqual([])
})

test('samples of an endpoint name this server, in four languages', async ({ admin, server, openConsole }) => {
  const page = await openConsole({ as: admin, path: '/health/', viewport: { width: 1440, height: 900 } })
  await page.goto('/docs/')
  await expect(page.getByRole('heading', { name: 'Muster API' })).toBeVisible()
  for (const [language, sample] of [
    ['Shell', 'curl'],
    ['JavaScript', 'fetch('],
    ['Python', 'requests.'],
    ['PowerShell', 'Invoke-RestMethod'],
  ] as const) {
    await page.getByRole('tab', { name: language, exact: true }).click()
    const code = page
      .locator('code')
      .filter({ hasText: `${server.url}/agents/` })
      .first()
    await expect(code).toContainText(sample)
  }
})

test('without a session a request is refused, and with a key it is sent as the key', async ({
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(401))
  await addClient(admin, 'Birch')
  const { id: user } = await admin.call(getMe, {})
  const { key } = await admin.call(createApiKey, { body: { name: 'Documentation', user } })
  const page = await openConsole({ path: '/health/' })
  await openDocs(page)
  await findEndpoint(page, 'List clients with their sites that the caller may see')
  const refused = await tryEndpoint(page, 'get /clients/')
  expect(refused.status()).toBe(401)
  await expect(page.getByRole('dialog').getByText('"not_signed_in"').first()).toBeVisible()
  await page.getByRole('dialog').getByPlaceholder('None').first().fill(key)
  const [response] = await Promise.all([
    page.waitForResponse((answer) => new URL(answer.url()).pathname === '/clients/'),
    page.getByRole('dialog').getByRole('button', { name: 'Send' }).first().click(),
  ])
  expect(response.status()).toBe(200)
  await expect(page.getByRole('dialog').getByText('"Birch"').first()).toBeVisible()
})
