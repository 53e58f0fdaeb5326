import type { Endpoint } from '@muster/contract/endpoint'
import { ErrorBody } from '@muster/contract/error-body'
import { ERROR_STATUS } from '@muster/contract/errors'
import { beforeAll, expect, test } from 'vitest'
import type { TestClient } from './testing/test-client.ts'
import { createTestServer, type TestServer } from './testing/test-server.ts'
import { addressIn, bodyIn } from './testing/test-calls.ts'
import { createWorld, type World } from './testing/test-world.ts'

// Sends hostile input to every endpoint. Each response must be an ErrorBody with a 4xx status, or a success if the
// input happens to be valid. Never a 500, never an unexpected log line.

const LONG = 'x'.repeat(20_000)
const JUNK: unknown[] = [
  null,
  '',
  LONG,
  '<img src=x onerror=alert(1)>',
  "'; drop table agents; --",
  '\u202Egnp.exe\u0000\uD800',
  'a|b',
  -1,
  0,
  1.5,
  2_147_483_648,
  Number.MAX_SAFE_INTEGER,
  1e308,
  [],
  [null],
  [[[]]],
  {},
  { constructor: { prototype: {} } },
]
const BROKEN_TEXTS = [
  '{',
  '[1',
  '"',
  'null',
  '42',
  '[]',
  '"text"',
  '{"a":',
  '\u0000',
  '{"__proto__":{}}',
  'NaN',
]
const PARTS_OF_ADDRESS = [
  '0',
  '-1',
  '1.5',
  'abc',
  '2147483648',
  '9007199254740993',
  '%00',
  '%2e%2e',
  "1'--",
  'x'.repeat(150),
]
const QUERIES = [
  'page=0',
  'page=-1&page_size=10',
  'page=1&page_size=1000000',
  'page=1e9&page_size=1',
  'page=1&page=2',
  'page=',
  `search=${'y'.repeat(5000)}`,
  'search=%00%25_%5C',
  'search[a]=b',
  'sort=__proto__',
  'sort=-constructor',
  'page=1&sort=nothing',
  'client=abc',
  'client=99999999999',
  'site=-1',
  'client=1&site=1',
  'monitoring_type=printer',
  'detail=maybe',
  'after=-1',
  'after=99999999999',
  'from=-1&to=5',
  'from=0&to=99999999999999999',
  'from=1e9&to=1&resolution=7',
  'move_to_site=0',
  'move_to_site=99999999999',
  '__proto__=1',
  '%E0%A4%A',
]

let endpoints: readonly Endpoint[] = []
beforeAll(async () => {
  await using server = await createTestServer()
  endpoints = [...server.app.api.mounted]
})

test('bodies that are not JSON, or JSON of the wrong type', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  for (const endpoint of endpoints) {
    if (endpoint.method === 'GET') continue
    const client = await newClient(server)
    for (const payload of BROKEN_TEXTS) {
      await expectCivil(client, endpoint, { url: addressIn(world, endpoint), payload })
    }
  }
})

test('every field of every body with junk', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  for (const endpoint of endpoints) {
    const good = bodyIn(world, endpoint)
    if (good === undefined) continue
    const client = await newClient(server)
    for (const body of spoiled(good)) {
      await expectCivil(client, endpoint, { url: addressIn(world, endpoint), payload: JSON.stringify(body) })
    }
  }
})

test('addresses with junk', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  for (const endpoint of endpoints) {
    if (!endpoint.path.includes(':')) continue
    const client = await newClient(server)
    for (const part of PARTS_OF_ADDRESS) {
      const url = endpoint.path.replaceAll(/:\w+/g, part)
      await expectCivil(client, endpoint, { url, ...bodyOf(world, endpoint) })
    }
  }
})

test('queries with junk', async () => {
  await using server = await createTestServer()
  for (const endpoint of endpoints) {
    if (endpoint.method !== 'GET' && endpoint.method !== 'DELETE') continue
    const world = await createWorld(server, `Walk ${endpoint.method} ${endpoint.path}`.replaceAll('/', ' '))
    const client = await newClient(server)
    for (const query of QUERIES) {
      await expectCivil(client, endpoint, { url: `${addressIn(world, endpoint)}?${query}` })
    }
  }
})

test('headers with junk', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  const headers: Record<string, string>[] = [
    { authorization: 'Token \u00e9\u00e9\u00e9\u00e9' },
    { authorization: `Token ${'a'.repeat(5000)}` },
    { cookie: `a=${'b'.repeat(5000)}; =; ;;; %00=%00` },
    { 'idempotency-key': 'k'.repeat(500) },
    { 'content-type': 'application/json; charset=utf-7' },
    { 'content-type': 'multipart/form-data' },
    { 'content-encoding': 'gzip' },
    { accept: ','.repeat(1000) },
    { 'x-forwarded-for': "'; drop" },
    { 'if-none-match': `"${'e'.repeat(4000)}"` },
  ]
  for (const endpoint of endpoints) {
    const client = await newClient(server)
    for (const given of headers) {
      const url = addressIn(world, endpoint)
      await expectCivil(client, endpoint, { url, ...bodyOf(world, endpoint), headers: given })
    }
  }
})

async function newClient(server: TestServer): Promise<TestClient> {
  // Some calls end their session, so each endpoint has its own user.
  return server.as(await server.given.user({ superuser: true }))
}

async function expectCivil(
  client: TestClient,
  endpoint: Endpoint,
  request: { url: string; payload?: string; headers?: Record<string, string> },
): Promise<void> {
  const answer = await client.send({
    method: endpoint.method,
    ...request,
    headers: {
      ...(request.payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
  })
  if (answer.status < 400) return
  const what = `${endpoint.method} ${request.url.slice(0, 200)} ${(request.payload ?? '').slice(0, 300)} ${JSON.stringify(request.headers ?? {}).slice(0, 100)}`
  expect([what, answer.text, answer.status < 500]).toEqual([what, answer.text, true])
  const error = ErrorBody.parse(JSON.parse(answer.text))
  expect([what, Object.keys(ERROR_STATUS)]).toEqual([what, expect.arrayContaining([error.code])])
  expect([what, error.detail]).toEqual([
    what,
    expect.not.stringMatching(/undefined|\[object|\bat .*\.ts:|SQLITE|syntax error at/),
  ])
  expect(error.detail.length).toBeLessThan(500)
}

function bodyOf(world: World, endpoint: Endpoint): { payload?: string } {
  const body = bodyIn(world, endpoint)
  return body === undefined ? {} : { payload: JSON.stringify(body) }
}

/** Copies of the valid body, each with one value replaced by junk, or one extra field. */
function* spoiled(good: unknown): Generator<unknown> {
  yield* JUNK
  if (typeof good !== 'object' || good === null) return
  for (const [name, value] of Object.entries(good)) {
    for (const inner of spoiled(value)) yield { ...good, [name]: inner }
  }
}
