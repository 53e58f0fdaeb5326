import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test('the console is served compressed, hashed files forever and the page revalidated', async () => {
  await using folder = await createConsoleFolder()
  await using server = await createTestServer({ consoleFolder: folder.path })
  const client = server.anonymous
  for (const url of ['/', '/agents/AbCdEfGh1', '/setup', '/some/unknown/page']) {
    const { status, headers, text } = await client.send({ method: 'GET', url, headers: HTML })
    expect([url, status, text]).toEqual([url, 200, '<title>console</title>'])
    expect(headers['cache-control']).toBe('no-cache')
    expect(headers['content-security-policy']).toContain("script-src 'self';")
  }
  const script = await client.send({
    method: 'GET',
    url: '/assets/main-abc.js',
    headers: { 'accept-encoding': 'br' },
  })
  expect(script.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
    'content-type': expect.stringContaining('javascript'),
  })
  const plain = await client.send({ method: 'GET', url: '/assets/main-abc.js' })
  expect([plain.headers['content-encoding'], plain.text]).toEqual([undefined, 'x'.repeat(5000)])
})

test('the page about the API has the policy of the console, with the Trusted Types of its library', async () => {
  await using folder = await createConsoleFolder()
  await writeFile(join(folder.path, 'api-docs.html'), '<title>API</title>')
  await using server = await createTestServer({ consoleFolder: folder.path })
  const get = (url: string) => server.anonymous.send({ method: 'GET', url, headers: HTML })
  const [page, home] = [await get('/docs/'), await get('/')]
  expect([page.status, page.text, page.headers['cache-control']]).toEqual([
    200,
    '<title>API</title>',
    'no-cache',
  ])
  const policy = String(home.headers['content-security-policy'])
  expect(page.headers['content-security-policy']).toBe(`${policy} vue`)
  expect(policy).toMatch(/trusted-types default$/)
  // Only with its own policy.
  expect((await get('/api-docs.html')).text).not.toBe('<title>API</title>')
})

test('unchanged files are not sent again', async () => {
  await using folder = await createConsoleFolder()
  await using server = await createTestServer({ consoleFolder: folder.path })
  const client = server.anonymous
  const ask = (etag?: string) =>
    client.send({ method: 'GET', url: '/', headers: { ...HTML, ...(etag && { 'if-none-match': etag }) } })
  const { headers } = await ask()
  const again = await ask(String(headers['etag']))
  expect([again.status, again.text]).toEqual([304, ''])
  expect((await ask('"another"')).status).toBe(200)
})

test('after a rebuild under a running server, missing files are not found and remaining ones are served', async () => {
  await using folder = await createConsoleFolder()
  await using server = await createTestServer({ consoleFolder: folder.path })
  const client = server.anonymous
  const get = (url: string, encoding = 'identity') =>
    client.send({ method: 'GET', url, headers: { 'accept-encoding': encoding } })
  await rm(join(folder.path, 'assets', 'main-abc.js.br'))
  expect((await get('/assets/main-abc.js', 'br')).status).toBe(404)
  expect((await get('/assets/main-abc.js')).text).toBe('x'.repeat(5000))
  await rm(join(folder.path, 'first-paint.js'))
  const gone = await get('/first-paint.js')
  expect([gone.status, gone.headers['cache-control']]).toEqual([404, 'no-store'])
  expect(JSON.parse(gone.text)).toMatchObject({ code: 'not_found' })
  await rm(join(folder.path, 'index.html'))
  const page = await client.send({ method: 'GET', url: '/', headers: HTML })
  expect([page.status, page.text.includes('not been built')]).toEqual([503, true])
})

test('programs get the API where browsers get the console', async () => {
  await using folder = await createConsoleFolder()
  await using server = await createTestServer({ consoleFolder: folder.path })
  const client = server.anonymous
  expect((await client.send({ method: 'GET', url: '/agents/AbCdEfGh1' })).status).toBe(401)
  // Addresses of the API end in a slash.
  expect((await client.send({ method: 'GET', url: '/agents/AbCdEfGh1/', headers: HTML })).status).toBe(401)
  expect((await client.send({ method: 'GET', url: '/first-paint.js' })).text).toBe('1')
  expect((await client.send({ method: 'GET', url: '/assets/gone.js', headers: HTML })).status).toBe(404)
  expect((await client.send({ method: 'POST', url: '/nothing', headers: HTML })).status).toBe(404)
  expect((await client.send({ method: 'GET', url: '/health/', headers: HTML })).text).toBe('{"status":"ok"}')
  for (const url of [
    '/..%2f..%2fpackage.json',
    '/assets/../../package.json',
    '/%00',
    '/.env',
    '/assets/..%2f.env',
    '/assets/..%2f..%2fpackage.json',
    '/assets/',
    '/assets',
  ]) {
    const { status, text } = await client.send({ method: 'GET', url })
    expect([url, status >= 400 && status < 500]).toEqual([url, true])
    expect(text).not.toContain('secret')
  }
})

test('the service worker may fetch the console, is never old, and the manifest has its type', async () => {
  await using folder = await createConsoleFolder()
  await using server = await createTestServer({ consoleFolder: folder.path })
  const { headers } = await server.anonymous.send({ method: 'GET', url: '/service-worker.js' })
  expect(headers['content-security-policy']).toBe("default-src 'none'; connect-src 'self'")
  expect(headers['cache-control']).toBe('no-cache')
  const manifest = await server.anonymous.send({ method: 'GET', url: '/manifest.webmanifest' })
  expect(manifest.headers['content-type']).toContain('application/manifest+json')
  const other = await server.anonymous.send({ method: 'GET', url: '/first-paint.js' })
  expect(other.headers['content-security-policy']).not.toContain('connect-src')
})

test('a server without a built console says so', async () => {
  await using server = await createTestServer()
  const { status, text } = await server.anonymous.send({ method: 'GET', url: '/', headers: HTML })
  expect(status).toBe(503)
  expect(text).toContain('npm start')
})

async function createConsoleFolder() {
  const parent = await mkdtemp(join(tmpdir(), 'muster-console-'))
  const path = join(parent, 'dist')
  await mkdir(join(path, 'assets'), { recursive: true })
  await writeFile(join(parent, 'package.json'), 'secret')
  await writeFile(join(path, '.env'), 'secret')
  await writeFile(join(path, 'first-paint.js'), '1')
  await writeFile(join(path, 'service-worker.js'), '1')
  await writeFile(join(path, 'manifest.webmanifest'), '{}')
  await writeFile(join(path, 'index.html'), '<title>console</title>')
  await writeFile(join(path, 'assets', 'main-abc.js'), 'x'.repeat(5000))
  await writeFile(join(path, 'assets', 'main-abc.js.br'), brotliCompressSync('x'.repeat(5000)))
  return { path, [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }) }
}
