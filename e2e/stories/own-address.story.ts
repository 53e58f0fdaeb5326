import { expect, type Page } from '@playwright/test'
import { openPlainProxy } from '../../tools/plain-proxy.ts'
import { test } from '../support/story.ts'
import { TEST_LEAF, TEST_LEAF_KEY } from '../support/tls-chain.ts'
import type { TestServer } from '../support/start-server.ts'
import { refusedWith } from '../support/watch-browser.ts'

const REFUSED_PAGE = /refused a page at an address that the server does not know/

async function fillIn(page: Page, { admin }: TestServer): Promise<void> {
  await page.getByRole('textbox', { name: 'User name' }).fill(admin.username)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test('behind a proxy that ends TLS, the sign-in names the setting with the address of the page', async ({
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(403))
  expected.server.push(REFUSED_PAGE)
  using proxy = await openPlainProxy(server.url, { key: TEST_LEAF_KEY, cert: TEST_LEAF })
  const page = await openConsole({ baseURL: proxy.url, path: '/login', ignoreHTTPSErrors: true })
  await fillIn(page, server)
  await expect(page.getByRole('alert')).toContainText(
    `The server does not know the address of this page. Set MUSTER_PUBLIC_URL=${proxy.url} and restart it.`,
  )
  await expect(page.getByRole('textbox', { name: 'User name' })).toHaveValue(server.admin.username)
  await page.context().close()
})

test.describe('with a public address', () => {
  test.use({ serverEnv: { MUSTER_PUBLIC_URL: 'https://rmm.example' } })

  test('a page at another address names the right one', async ({ server, openConsole, expected }) => {
    expected.browser.push(refusedWith(403))
    expected.server.push(REFUSED_PAGE)
    using proxy = await openPlainProxy(server.url, { key: TEST_LEAF_KEY, cert: TEST_LEAF })
    const page = await openConsole({ baseURL: proxy.url, path: '/login', ignoreHTTPSErrors: true })
    await fillIn(page, server)
    await expect(page.getByRole('alert')).toContainText(
      `The address of this console is https://rmm.example (MUSTER_PUBLIC_URL), not ${proxy.url}. Open it there.`,
    )
    await page.context().close()
  })
})
