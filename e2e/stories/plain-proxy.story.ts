import { hostname } from 'node:os'
import { editClient } from '@muster/contract/api/clients'
import { listAgents } from '@muster/contract/api/agents'
import { expect, type Page } from '@playwright/test'
import { PATIENCE_MS } from '../../tools/patience.ts'
import { openPlainProxy } from '../../tools/plain-proxy.ts'
import { machineRow, treeLine } from '../support/dashboard.ts'
import { addClient, addSite, makeToken } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

const BLOCKED = /WebSocket connection to .* failed/
const IN_SERVER_LOG = /a proxy in front of the server does not pass WebSockets/
const bannerOf = (page: Page) => page.getByRole('status').filter({ hasText: 'Live updates are off' })

test('behind a proxy that does not pass WebSockets the console says so, refreshes, and recovers', async ({
  server,
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(BLOCKED)
  expected.server.push(IN_SERVER_LOG)
  const acme = await addClient(admin, 'Acme')
  using proxy = await openPlainProxy(server.url)
  const as = await signIn(proxy.url, server.admin)
  const page = await openConsole({ as, baseURL: proxy.url })
  const banner = bannerOf(page)

  await test.step('the banner names the cause, and nothing says that the server is away', async () => {
    await expect(banner).toContainText('a proxy between this browser and the server does not pass WebSockets')
    await expect(page.getByText('The server cannot be reached.')).toBeHidden()
    await expect(page.getByRole('status').filter({ hasText: /^not live$/ })).toBeVisible()
    await expect(page.getByText('offline', { exact: true })).toBeHidden()
  })
  await test.step('its link leads to the settings of proxies', async () => {
    const [guide] = await Promise.all([
      page.context().waitForEvent('page'),
      banner.getByRole('link', { name: 'Show proxy settings' }).click(),
    ])
    for (const name of ['nginx', 'Caddy', 'Apache', 'HAProxy'])
      await expect(guide.getByRole('heading', { name })).toBeVisible()
    await guide.close()
  })
  await test.step('changes by others appear without a reload, and without the loading bar', async () => {
    await page.evaluate(`(() => {
      window.flashes = 0
      const watch = (list) => (window.flashes += list.length)
      new MutationObserver(watch).observe(document.body, { subtree: true, attributeFilter: ['data-active'] })
    })()`)
    await admin.call(editClient, { params: { id: acme.id }, body: { client: { name: 'Acme Dental' } } })
    await addSite(admin, acme, 'Munich')
    await expect(treeLine(page, /Acme Dental/)).toBeVisible()
    await expect(treeLine(page, /Munich/)).toBeVisible()
    expect(await page.evaluate('window.flashes')).toBe(0)
  })
  await test.step('the number of machines follows', async () => {
    await expect(page.getByRole('button', { name: /^0 machines/ })).toBeVisible()
    await using _agent = await startAgent({ server: server.url, token: await makeToken(admin, acme) })
    await expect(machineRow(page, hostname())).toContainText('online')
    await expect(page.getByRole('button', { name: /^1 machine/ })).toBeVisible()
  })
  await test.step('a hidden page requests nothing', async () => {
    const asked: string[] = []
    await page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })`,
    )
    const attempt = () => page.waitForEvent('websocket', { timeout: PATIENCE_MS })
    // Three polls fit between two attempts of the socket.
    await attempt()
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await attempt()
    expect(asked).toEqual(['/core/socket-ticket/'])
    await page.evaluate(
      `delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))`,
    )
  })
  await test.step('the banner goes when the proxy is set up', async () => {
    proxy.passWebSockets()
    await expect(page.getByRole('status').filter({ hasText: /^live/ })).toBeVisible()
    await expect(banner).toBeHidden()
    await addSite(admin, acme, 'Bonn')
    await expect(treeLine(page, /Bonn/)).toBeVisible()
  })
  // Before the proxy: a page asks on, and would report that nobody answers.
  await page.context().close()
})

test('tools of a machine say why they cannot start, and start once the proxy is set up', async ({
  server,
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(BLOCKED)
  expected.server.push(IN_SERVER_LOG)
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using _agent = await startAgent({ server: server.url, token })
  await expect.poll(() => admin.call(listAgents, { query: {} })).toMatchObject([{ status: 'online' }])
  const [machine] = await admin.call(listAgents, { query: {} })
  using proxy = await openPlainProxy(server.url)
  const as = await signIn(proxy.url, server.admin)
  const at = (path: string) => openConsole({ as, baseURL: proxy.url, path })
  const cause = 'cannot start. A proxy between this browser and the server does not pass WebSockets.'
  const terminal = await at(`/remotebackground/${machine?.agent_id}`)
  await expect(terminal.getByRole('status').filter({ hasText: `The terminal ${cause}` })).toBeVisible()
  await expect(terminal.getByRole('link', { name: 'Show proxy settings' })).toBeVisible()
  const desktop = await at(`/takecontrol/${machine?.agent_id}`)
  await expect(desktop.getByRole('status').filter({ hasText: `The desktop ${cause}` })).toBeVisible()
  const logs = await at(`/remotebackground/${machine?.agent_id}?tool=logs`)
  await logs.getByText('Live', { exact: true }).click()
  await logs.getByRole('button', { name: 'Follow' }).click()
  await expect(logs.getByRole('status').filter({ hasText: `The live log ${cause}` })).toBeVisible()
  proxy.passWebSockets()
  await expect(terminal.getByRole('status').filter({ hasText: /^In \/.+ as \w+ on / })).toBeVisible()
  for (const page of [terminal, desktop, logs]) await page.context().close()
})

test('an agent behind the proxy says so, and connects once the proxy is set up', async ({
  server,
  admin,
  expected,
}) => {
  expected.server.push(IN_SERVER_LOG)
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  using proxy = await openPlainProxy(server.url)
  await using agent = await startAgent({ server: proxy.url, token })
  const cause = `a proxy between this machine and the server does not pass WebSockets. See ${proxy.url}/docs/reverse-proxy/`
  await expect.poll(() => agent.status()).toContain(cause)
  proxy.passWebSockets()
  await expect.poll(() => admin.call(listAgents, { query: {} })).toMatchObject([{ status: 'online' }])
  await expect.poll(() => agent.status()).toMatch(/^link {6}up since /m)
  agent.expectCleanLog(/no WebSocket to the server/)
})
