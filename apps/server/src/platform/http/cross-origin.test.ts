import { listAgents } from '@muster/contract/api/agents'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'

const TOOLS = 'https://tools.example.com'
const ALLOWED = { MUSTER_ALLOWED_ORIGINS: TOOLS }

/** The request that a browser sends before one with these headers. */
function preflight(server: TestServer, origin: string, headers = '', url = '/agents/') {
  return server.anonymous.send({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': 'GET',
      ...(headers === '' ? {} : { 'access-control-request-headers': headers }),
    },
  })
}

const listed = (value: unknown) => String(value).split(/, */).toSorted()
const corsHeaders = (headers: object) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))

test('a page of an allowed origin may send every header that requests know', async () => {
  await using server = await createTestServer({ env: ALLOWED })
  const { status, headers, text } = await preflight(server, TOOLS, 'if-none-match,range,x-api-key')
  expect([status, text]).toEqual([204, ''])
  expect(headers).toMatchObject({
    'access-control-allow-origin': TOOLS,
    'access-control-allow-credentials': 'true',
    'access-control-max-age': '600',
    vary: expect.stringContaining('Origin'),
  })
  expect(listed(headers['access-control-allow-headers'])).toEqual([
    'authorization',
    'content-type',
    'idempotency-key',
    'if-none-match',
    'if-range',
    'range',
    'x-api-key',
    'x-muster-shape',
    'x-xsrf-token',
  ])
  expect(listed(headers['access-control-allow-methods'])).toEqual(['DELETE', 'GET', 'PATCH', 'POST', 'PUT'])
})

test('a page of an allowed origin reads every header of responses, also of refusals', async () => {
  await using server = await createTestServer({ env: ALLOWED })
  const ada = server.as(await server.given.user({ permissions: ['can_list_agents'] }))
  ada.headers = { origin: TOOLS }
  for (const { headers } of [
    await ada.call(listAgents, {}),
    await server.anonymous.send({ method: 'GET', url: '/agents/', headers: { origin: TOOLS } }),
    await server.anonymous.send({ method: 'GET', url: '/no/such/', headers: { origin: TOOLS } }),
    await server.anonymous.send({ method: 'POST', url: '/v2/checkcreds/', headers: { origin: TOOLS } }),
  ]) {
    expect(headers['access-control-allow-origin']).toBe(TOOLS)
    expect(listed(headers['access-control-expose-headers'])).toEqual([
      'accept-ranges',
      'allow',
      'content-disposition',
      'content-range',
      'etag',
      'repr-digest',
      'retry-after',
      'x-muster-without-effect',
      'x-request-id',
    ])
  }
})

test('while the server stops, a page of an allowed origin can read why', async () => {
  await using server = await createTestServer({ env: ALLOWED })
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { promise: started, resolve: hasStarted } = Promise.withResolvers<void>()
  server.app.fastify.get('/slow', async () => {
    hasStarted()
    await gate
    return 'done'
  })
  const { url } = await server.listen()
  const running = fetch(`${url}/slow`)
  await started
  const stopped = server.app.stop()
  const refused = await server.anonymous.send({ method: 'GET', url: '/health/', headers: { origin: TOOLS } })
  expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([503, TOOLS])
  open()
  await (await running).text()
  await stopped
})

test.each([
  ['where origins are configured', ALLOWED],
  ['where none is', {}],
])('pages of other origins get nothing %s, and a reason that names the setting', async (_where, env) => {
  await using server = await createTestServer({ env })
  for (const origin of ['https://evil.example', 'null', `${TOOLS}.evil.example`, `${TOOLS}/`]) {
    const asked = await preflight(server, origin, 'x-api-key')
    expect([origin, asked.status, asked.error.code]).toEqual([origin, 403, 'bad_origin'])
    expect(asked.error.detail).toContain('MUSTER_ALLOWED_ORIGINS')
    expect(corsHeaders(asked.headers)).toEqual([])
    const { headers } = await server.anonymous.send({ method: 'GET', url: '/health/', headers: { origin } })
    expect(corsHeaders(headers)).toEqual([])
  }
})

test('OPTIONS without a page returns the methods of an address', async () => {
  for (const env of [ALLOWED, {}]) {
    await using server = await createTestServer({ env })
    const ask = (url: string) => server.anonymous.send({ method: 'OPTIONS', url, headers: { origin: '' } })
    const { status, headers, text } = await ask('/agents/ID/')
    expect([status, text, listed(headers['allow'])]).toEqual([
      204,
      '',
      ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PUT'],
    ])
    expect(listed((await ask('/v2/checkcreds/')).headers['allow'])).toEqual(['OPTIONS', 'POST'])
    expect((await ask('/no/such/')).error.code).toBe('not_found')
  }
})

test('a preflight for an address that does not exist is answered, so that the page can read the 404', async () => {
  await using server = await createTestServer({ env: ALLOWED })
  expect((await preflight(server, TOOLS, '', '/no/such/')).status).toBe(204)
})
