import { createAlert } from '@muster/contract/api/alerts'
import { expect, type Page } from '@playwright/test'
import { addClient } from '../support/seed.ts'
import { expectAccessible } from '../support/accessible.ts'
import { test } from '../support/story.ts'
import { expectToast } from '../support/toasts.ts'
import { SERVER_GONE } from '../support/watch-browser.ts'

test.use({ serviceWorkers: 'allow' })

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/** The service worker is active, and holds the page with its files. */
const isInstalled = (page: Page) =>
  page.evaluate<boolean>(`(async () => {
    const registration = await navigator.serviceWorker.getRegistration()
    return registration?.active?.state === 'activated' && (await caches.match('/')) !== undefined
  })()`)

test('the console can be installed, and says calmly when the server cannot be reached', async ({
  server,
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(SERVER_GONE)
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin, ...PHONE })
  const link = page.locator('link[rel=manifest]')
  const described = await page.request.get((await link.getAttribute('href')) ?? '')
  const manifest = (await described.json()) as { icons: { src: string }[] }
  expect(manifest).toMatchObject({ name: 'Muster', display: 'standalone', start_url: '/' })
  for (const { src } of manifest.icons) {
    const icon = await page.request.get(src)
    expect([src, icon.status(), icon.headers()['content-type']]).toEqual([src, 200, 'image/png'])
  }
  await expect.poll(() => isInstalled(page)).toBe(true)
  // The last file of the page, half a second later.
  await expect
    .poll(() =>
      page.evaluate("performance.getEntriesByType('resource').some(({ name }) => name.includes('/moment-'))"),
    )
    .toBe(true)

  await server.stop()
  await page.goto('/alerts')
  await expect(page.getByRole('heading', { name: 'Server not reachable' })).toBeVisible()
  await expect(page.getByText(/^Muster reconnects automatically/)).toBeVisible()
  await expectAccessible(page, 'unreachable')

  await server.start()
  await expect(page.getByRole('heading', { name: 'Alerts', exact: true })).toBeVisible()
  await expect(page.locator('html[data-offline]')).toHaveCount(0)
})

test('the service worker never replaces a server that responds', async ({ server, admin, openConsole }) => {
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin })
  await expect.poll(() => isInstalled(page)).toBe(true)
  await page.evaluate(`(async () => {
    const cache = await caches.open('muster shell')
    await cache.put('/', new Response('<title>Stale</title>', { headers: { 'content-type': 'text/html' } }))
  })()`)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Alerts: none open' })).toBeVisible()
  // The visit has stored the current page again.
  const stored = () => page.evaluate(`caches.match('/').then((page) => page.text())`)
  await expect.poll(stored).toContain('data-offline')
  const policy = async (url: string) => (await page.request.get(url)).headers()
  expect((await policy('/service-worker.js'))['cache-control']).toBe('no-cache')
  expect((await policy(server.url))['content-security-policy']).toBeDefined()
})

test('from a notification to Acknowledge on a phone takes two taps', async ({ admin, openConsole }) => {
  await addClient(admin, 'Acme')
  const { id } = await admin.call(createAlert, {
    body: { message: 'The pump stands', severity: 'error', key: 'pump' },
  })
  // The address that a notification opens: the first tap.
  const page = await openConsole({ as: admin, path: `/alerts?alert=${id}`, ...PHONE })
  const acknowledge = page.getByRole('button', { name: 'Acknowledge', exact: true })
  await expect(acknowledge).toBeInViewport({ ratio: 1 })
  const box = await acknowledge.boundingBox()
  expect(box?.height).toBeGreaterThanOrEqual(44)
  await acknowledge.tap()
  await expectToast(page, 'Alert acknowledged.')
})

test('a pushed message shows a notification', async ({ admin, server, openConsole }) => {
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin, permissions: ['notifications'] })
  await expect.poll(() => isInstalled(page)).toBe(true)
  const [worker] = page.context().serviceWorkers()
  // Headless Chromium shows no notifications, so the worker's calls are kept.
  await worker?.evaluate(`(() => {
    self.shown = []
    self.registration.showNotification = async (title, { body, data }) => self.shown.push([title, body, data])
  })()`)
  const shown = () => worker?.evaluate('self.shown')
  const session = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(server.url))
      if (own !== undefined) resolve(own.registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  const registrationId = await registered
  const { origin } = new URL(server.url)
  const push = (data: string) =>
    session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })

  await push(JSON.stringify({ line: 'Error on PC-12: Disk space of C: 5 % free', path: '/alerts?alert=7' }))
  const first = ['Error on PC-12', 'Disk space of C: 5 % free', '/alerts?alert=7']
  await expect.poll(shown).toEqual([first])
  await push('no JSON')
  await expect.poll(shown).toEqual([first, ['Muster', 'Alerts have changed.', '/alerts']])
})
