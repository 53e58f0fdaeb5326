import { checkCredentials, listOwnSessions, login } from '@muster/contract/api/sessions'
import { getHealth } from '@muster/contract/api/system'
import { expect, test } from 'vitest'
import type { TestClient } from '../../../testing/test-client.ts'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { delaySeconds } from './throttle.ts'

const PASSWORD = 'correct horse battery'

test.each([
  [1, 0],
  [4, 0],
  [5, 2],
  [6, 4],
  [7, 8],
  [13, 512],
  [14, 900],
  [1000, 900],
])('after %i failures the wait is %i seconds', (failures, seconds) => {
  expect(delaySeconds(failures)).toBe(seconds)
})

test('after the fifth failure an account must wait, also with the right password, and sees how long', async () => {
  await using server = await createTestServer()
  server.clock.freeze('2026-11-21T10:00:00Z')
  await server.given.user({ username: 'ada', password: PASSWORD })
  for (let index = 0; index < 5; index += 1) {
    expect((await attempt(server, 'ada', 'wrong', `192.0.2.${index}`)).status).toBe(400)
  }
  const refused = await attempt(server, 'ada', PASSWORD, '192.0.2.77')
  expect(refused.status).toBe(429)
  expect(refused.headers['retry-after']).toBe('2')
  expect(refused.error).toMatchObject({
    code: 'too_many_requests',
    detail: 'Too many failed attempts. Try again in 2 seconds.',
  })
  server.clock.advance(2)
  expect((await attempt(server, 'ada', PASSWORD, '192.0.2.77')).status).toBe(200)
})

test('an unknown name is slowed down like any other', async () => {
  await using server = await createTestServer()
  const statuses = []
  for (let index = 0; index < 6; index += 1) {
    statuses.push((await attempt(server, 'nobody', 'wrong', `192.0.2.${index}`)).status)
  }
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
})

test('after the fifth failure a source must wait, whichever accounts it tries', async () => {
  await using server = await createTestServer()
  await server.given.user({ username: 'ada', password: PASSWORD })
  for (let index = 0; index < 5; index += 1) {
    await attempt(server, `name-${index}`, 'wrong', '203.0.113.5')
  }
  expect((await attempt(server, 'ada', PASSWORD, '203.0.113.5')).status).toBe(429)
  expect((await attempt(server, 'ada', PASSWORD, '203.0.113.6')).status).toBe(200)
})

test('addresses of one IPv6 network count as one source', async () => {
  await using server = await createTestServer()
  for (let index = 1; index <= 5; index += 1) {
    await attempt(server, `name-${index}`, 'wrong', `2001:db8:1:2::${index}`)
  }
  expect((await attempt(server, 'someone', 'x', '2001:db8:1:2:aaaa::1')).status).toBe(429)
  expect((await attempt(server, 'someone', 'x', '2001:db8:1:3::1')).status).toBe(400)
})

test('the wait is capped, and a success forgets the failures', async () => {
  await using server = await createTestServer()
  server.clock.freeze('2026-11-21T10:00:00Z')
  await server.given.user({ username: 'ada', password: PASSWORD })
  for (let index = 0; index < 20; index += 1) {
    await attempt(server, 'ada', 'wrong', `192.0.2.${index}`)
    server.clock.advance(900)
  }
  expect((await attempt(server, 'ada', PASSWORD, '192.0.2.200')).status).toBe(200)
  expect(
    await server.ctx.db.selectFrom('throttles').select('key').where('key', 'like', 'account:%').execute(),
  ).toEqual([])
  expect((await attempt(server, 'ada', 'wrong', '192.0.2.200')).status).toBe(400)
})

test('guessing strangers do not lock the owner out of a known browser', async () => {
  await using server = await createTestServer()
  await server.given.user({ username: 'ada', password: PASSWORD })
  const browser = server.anonymous
  await browser.call(checkCredentials, { body: { username: 'ada', password: PASSWORD } })
  for (let index = 0; index < 8; index += 1) await attempt(server, 'ada', 'wrong', `192.0.2.${index}`)
  expect((await attempt(server, 'ada', PASSWORD, '192.0.2.99')).status).toBe(429)
  const again = await browser.call(checkCredentials, { body: { username: 'ada', password: PASSWORD } })
  expect(again.status).toBe(200)

  const other = await browser.call(checkCredentials, { body: { username: 'eve', password: 'x' } })
  expect(other.status, 'the mark is good for its own account only').toBe(400)
  const guesses = []
  for (let index = 0; index < 6; index += 1) {
    guesses.push(await browser.call(checkCredentials, { body: { username: 'ada', password: 'wrong' } }))
  }
  expect(guesses.at(-1)?.status, 'and gives no free guesses').toBe(429)
})

test('the right password allows no new attempts at the code', async () => {
  await using server = await createTestServer()
  await server.given.user({ username: 'ada', password: PASSWORD, totp: true })
  const statuses = []
  for (let index = 0; index < 6; index += 1) {
    const client = at(server, `192.0.2.${index}`)
    await client.call(checkCredentials, { body: { username: 'ada', password: PASSWORD } })
    const body = { username: 'ada', password: PASSWORD, twofactor: '000000' }
    statuses.push((await client.call(login, { body })).status)
  }
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
})

test('of a burst at one account five passwords are verified', async () => {
  await using server = await createTestServer()
  await server.given.user({ username: 'ada', password: PASSWORD })
  const answers = await Promise.all(
    Array.from({ length: 15 }, (_, index) => attempt(server, 'ada', 'wrong', `192.0.2.${index}`)),
  )
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(5)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
})

test('a hundred attempts a second each get a clear response and leave the server responsive', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user({ username: 'ada' })
  let answered = 0
  let isRunning = true
  const others = (async () => {
    while (isRunning) {
      const { status } = await server.as(ada).call(listOwnSessions, {})
      expect(status).toBe(200)
      expect((await server.anonymous.call(getHealth, {})).status).toBe(200)
      answered += 1
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 10))
      return (await attempt(server, `name-${index}`, 'wrong', `198.51.100.${index}`)).status
    }),
  )
  isRunning = false
  await others
  expect(new Set(statuses).difference(new Set([400, 429]))).toEqual(new Set())
  // If they waited for the earlier attempts, the others would hardly get two responses.
  expect(answered).toBeGreaterThan(10)
})

function at(server: TestServer, source: string): TestClient {
  const client = server.anonymous
  client.source = source
  return client
}

function attempt(server: TestServer, username: string, password: string, source: string) {
  return at(server, source).call(checkCredentials, { body: { username, password } })
}

test('behind a local proxy each client is its own source, and a stranger cannot pose as one', async () => {
  const env = { MUSTER_PUBLIC_URL: 'https://muster.example.com' }
  await using server = await createTestServer({ env })
  const from = (source: string, forwarded: string) => {
    const client = at(server, source)
    client.headers = { 'x-forwarded-for': forwarded, origin: '' }
    return client.call(checkCredentials, { body: { username: `name-${forwarded}`, password: 'x' } })
  }
  for (let index = 0; index < 6; index += 1) {
    expect((await from('127.0.0.1', `192.0.2.${index}`)).status).toBe(400)
  }
  for (let index = 0; index < 5; index += 1) await from('203.0.113.9', `198.51.100.${index}`)
  expect((await from('203.0.113.9', '198.51.100.77')).status).toBe(429)
})

test('behind a proxy of another machine that is trusted each client is its own source', async () => {
  const env = {
    MUSTER_PUBLIC_URL: 'https://muster.example.com',
    MUSTER_TRUSTED_PROXIES: '172.18.0.0/16, 10.0.0.7',
  }
  await using server = await createTestServer({ env })
  const from = (source: string, forwarded: string) => {
    const client = at(server, source)
    client.headers = { 'x-forwarded-for': forwarded, origin: '' }
    return client.call(checkCredentials, { body: { username: `name-${forwarded}`, password: 'x' } })
  }
  for (const proxy of ['172.18.0.5', '10.0.0.7']) {
    for (let index = 0; index < 6; index += 1) {
      expect((await from(proxy, `192.0.2.${index}`)).status).toBe(400)
    }
  }
  for (let index = 0; index < 5; index += 1) await from('10.0.0.8', `198.51.100.${index}`)
  expect((await from('10.0.0.8', '198.51.100.77')).status).toBe(429)
})
