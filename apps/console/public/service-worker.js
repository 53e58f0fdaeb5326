// Shows pushed alerts, and the console's page while the server cannot be reached. A server that responds is never
// replaced by what is stored, so the console is never older than its server.
const STORE = 'muster shell'
const PAGE = '/'
/** A proxy in front of the server answers that it is down. */
const UNREACHABLE = [502, 504]

self.addEventListener('install', (event) => {
  void self.skipWaiting()
  event.waitUntil(storeShell())
})

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  // Addresses of the API, with downloads, end in a slash.
  const isApi = pathname !== PAGE && pathname.endsWith('/')
  if (request.mode === 'navigate' && !isApi) event.respondWith(visit(event))
  else if (isShellFile(pathname)) event.respondWith(fetch(request).catch(() => findStored(request)))
})

self.addEventListener('push', (event) => {
  const { line, path } = readMessage(event.data)
  const [, title, body = ''] = /^(.*?): (.*)$/.exec(line) ?? [line, line]
  event.waitUntil(
    self.registration.showNotification(title, {
      body,
      data: path,
      // A later message about the same alert replaces the earlier one.
      tag: path,
      renotify: true,
      icon: '/icon-192.png',
    }),
  )
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openPage(new URL(event.notification.data ?? '/alerts', location.origin)))
})

/** A browser requires a notification for each message, also for one that cannot be read. */
function readMessage(data) {
  try {
    const { line, path } = data.json()
    const isText = typeof line === 'string' && line !== '' && typeof path === 'string'
    if (isText && new URL(path, location.origin).origin === location.origin) return { line, path }
  } catch {
    // No message, no JSON, or no address.
  }
  return { line: 'Muster: Alerts have changed.', path: '/alerts' }
}

async function openPage(address) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const open = windows.find(({ url }) => url === address.href)
  await (open === undefined ? self.clients.openWindow(address) : open.focus())
}

function isShellFile(path) {
  return path.startsWith('/assets/') || path === '/first-paint.js' || path === '/favicon.svg'
}

async function visit(event) {
  try {
    const response = await fetch(event.request)
    if (UNREACHABLE.includes(response.status)) return (await caches.match(PAGE)) ?? response
    // Fails only while the server is being replaced; the next visit tries again.
    event.waitUntil(storeShell().catch(() => undefined))
    return response
  } catch (error) {
    const shell = await caches.match(PAGE)
    if (shell === undefined) throw error
    return shell
  }
}

async function findStored(request) {
  return (await caches.match(request, { ignoreVary: true })) ?? Response.error()
}

/** Stores the page, marked as offline, with the files that it names, if it has changed. */
async function storeShell() {
  const response = await fetch(PAGE, { cache: 'no-cache', headers: { accept: 'text/html' } })
  if (!response.ok) throw new Error(`the page cannot be stored: ${response.status}`)
  const text = (await response.text()).replace('<html ', '<html data-offline ')
  const cache = await caches.open(STORE)
  const stored = await cache.match(PAGE)
  if (stored !== undefined && (await stored.text()) === text) return
  const files = Array.from(text.matchAll(/(?:src|href)="(\/[^"]+)"/g), ([, path]) => path).filter(isShellFile)
  await cache.addAll(files)
  const names = ['content-type', 'content-security-policy']
  const headers = names.map((name) => [name, response.headers.get(name) ?? ''])
  await cache.put(PAGE, new Response(text, { headers }))
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url)
    if (pathname !== PAGE && !files.includes(pathname)) await cache.delete(request)
  }
}
