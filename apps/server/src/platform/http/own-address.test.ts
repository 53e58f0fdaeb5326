import { checkCredentials } from '@muster/contract/api/sessions'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'

const PROXY = 'https://rmm.example'

/** Signs in as a page, through a proxy that sends these headers. */
function signIn(server: TestServer, headers: Record<string, string>) {
  const client = server.anonymous
  client.headers = headers
  return client.call(checkCredentials, { body: { username: 'ada', password: 'a long password' } })
}

const refusals = (server: TestServer) =>
  server.logLines.filter(({ msg }) => String(msg).startsWith('refused a page'))

test.each([
  ['passes the Host on', { origin: PROXY, host: 'rmm.example' }],
  ['passes the Host on with its port', { origin: `${PROXY}:8443`, host: 'rmm.example:8443' }],
  ['names the Host in another header', { origin: PROXY, 'x-forwarded-host': 'rmm.example' }],
  ['names no Host, to a browser that does', { origin: PROXY, 'sec-fetch-site': 'same-origin' }],
])('a sign-in through a proxy that ends TLS and %s names the setting', async (_how, headers) => {
  await using server = await createTestServer()
  server.expectLog(/refused a page/)
  const { status, error } = await signIn(server, headers)
  expect([status, error.code]).toEqual([403, 'bad_origin'])
  expect(error.detail).toBe(
    `The server does not know the address of this page. Set MUSTER_PUBLIC_URL=${headers.origin} and restart it.`,
  )
  expect(refusals(server)).toMatchObject([
    {
      msg: `refused a page at an address that the server does not know; if it is the console, set MUSTER_PUBLIC_URL=${headers.origin}`,
    },
  ])
  // Once for each address.
  await signIn(server, headers)
  expect(refusals(server)).toHaveLength(1)
})

test('with that setting the sign-in works', async () => {
  await using server = await createTestServer({ env: { MUSTER_PUBLIC_URL: PROXY } })
  await server.given.user({ username: 'ada', password: 'a long password' })
  expect((await signIn(server, { origin: PROXY, host: 'rmm.example' })).status).toBe(200)
})

test('a page at another address than the public one learns the right one', async () => {
  await using server = await createTestServer({ env: { MUSTER_PUBLIC_URL: PROXY } })
  server.expectLog(/refused a page/)
  const { status, error } = await signIn(server, { origin: 'https://old.example', host: 'old.example' })
  expect([status, error.detail]).toEqual([
    403,
    'The address of this console is https://rmm.example (MUSTER_PUBLIC_URL), not https://old.example. Open it there.',
  ])
  expect(refusals(server)).toMatchObject([
    { msg: expect.stringContaining('MUSTER_PUBLIC_URL=https://old.example') },
  ])
})

test.each([
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['another site with the Host of the server', { origin: 'https://evil.example', host: '127.0.0.1:8420' }],
  ['a page without an address', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
  ['a file', { origin: 'file://', 'sec-fetch-site': 'same-origin' }],
])('%s is refused without its name, and without a line in the log', async (_what, headers) => {
  await using server = await createTestServer()
  const { status, error } = await signIn(server, headers)
  expect([status, error.detail]).toEqual([
    403,
    'This page comes from another address than the server. Open the console at its own address; behind a proxy, set MUSTER_PUBLIC_URL to it.',
  ])
  expect(refusals(server)).toEqual([])
})

test.each([
  'https://rmm.example/$(reboot)',
  'https://rmm.example MUSTER_HOSTED=false',
  'https://rmm.example"; reboot',
  'https://user:password@rmm.example',
  'javascript://rmm.example',
  'https://rmm\u202e.example',
  'https://rmm.example\u001b[31m',
  `https://${'a.'.repeat(200)}example`,
  'https://rmm.example/',
  'https://-',
])('an invented address never reaches the page or the log: %j', async (origin) => {
  await using server = await createTestServer()
  const client = server.anonymous
  client.headers = { 'sec-fetch-site': 'same-origin', 'x-forwarded-host': 'rmm.example' }
  const { status, error } = await client.send({
    method: 'POST',
    url: '/v2/checkcreds/',
    // As bytes: headers are Latin-1.
    headers: { origin: Buffer.from(origin).toString('latin1'), 'content-type': 'application/json' },
    payload: '{}',
  })
  expect([status, error.code]).toEqual([403, 'bad_origin'])
  expect(error.detail).not.toContain('rmm')
  expect(refusals(server)).toEqual([])
})

test('a stranger with many addresses fills no log', async () => {
  await using server = await createTestServer()
  server.expectLog(/refused a page/)
  for (let count = 0; count < 100; count += 1)
    await signIn(server, { origin: `https://a${count}.example`, host: `a${count}.example` })
  expect(refusals(server).length).toBeLessThanOrEqual(20)
})

test('the sockets of a console at an unknown address are refused with the same reason', async () => {
  await using server = await createTestServer()
  server.expectLog(/refused a page/)
  for (const url of ['/ws/live/', '/ws/webterm/']) {
    const { status, error } = await server.anonymous.send({
      method: 'GET',
      url,
      headers: { origin: PROXY, host: 'rmm.example', upgrade: 'websocket', connection: 'upgrade' },
    })
    expect([url, status, error.detail]).toMatchObject([
      url,
      403,
      expect.stringContaining(`MUSTER_PUBLIC_URL=${PROXY}`),
    ])
  }
})
