import { savePreferences } from '@muster/contract/api/users'
import { getVersion } from '@muster/contract/api/system'
import { describe, expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

const WRITE = { body: { dark_mode: false } }

describe('a loopback server', () => {
  test.each([
    ['http://127.0.0.1:8420', '127.0.0.1:8420', 200],
    ['http://localhost:8420', 'localhost:8420', 200],
    ['http://[::1]:8420', '[::1]:8420', 200],
    ['https://127.0.0.1:8420', '127.0.0.1:8420', 403],
    ['http://127.0.0.1:8421', '127.0.0.1:8420', 403],
    ['http://127.0.0.1', '127.0.0.1:8420', 403],
    ['http://localhost:8420', '127.0.0.1:8420', 403],
    ['http://evil.example', '127.0.0.1:8420', 403],
    ['http://127.0.0.1:8420.evil.example', '127.0.0.1:8420', 403],
    ['http://127.0.0.1.evil.example:8420', '127.0.0.1.evil.example:8420', 403],
    ['http://rebound.example:8420', 'rebound.example:8420', 403],
    ['http://127.0.0.1:8420@evil.example', '127.0.0.1:8420', 403],
    ['null', '127.0.0.1:8420', 403],
    ['file://', '127.0.0.1:8420', 403],
    ['http://127.0.0.1:8420/', '127.0.0.1:8420', 403],
    ['HTTP://127.0.0.1:8420', '127.0.0.1:8420', 403],
  ])('a write from %s to %s returns %i', async (origin, host, expected) => {
    await using server = await createTestServer()
    server.expectLog(/refused a page/)
    const ada = server.as(await server.given.user())
    ada.headers = { origin, host }
    const answer = await ada.call(savePreferences, WRITE)
    expect(answer.status).toBe(expected)
    if (expected === 403) expect(answer.error.code).toBe('bad_origin')
  })
})

describe('a server with a public address and one allowed origin', () => {
  const env = {
    MUSTER_HOST: '127.0.0.1',
    MUSTER_PUBLIC_URL: 'https://muster.example.com',
    MUSTER_ALLOWED_ORIGINS: 'https://tools.example.com',
  }
  test.each([
    ['https://muster.example.com', 200],
    ['https://tools.example.com', 200],
    ['http://muster.example.com', 403],
    ['https://muster.example.com:8443', 403],
    ['https://sub.muster.example.com', 403],
    ['https://evil-muster.example.com', 403],
    ['https://muster.example.com.evil.example', 403],
    ['https://example.com', 403],
    ['https://tools.example.com.evil.example', 403],
    ['https://a.tools.example.com', 403],
    ['null', 403],
  ])('a write from %s returns %i', async (origin, expected) => {
    await using server = await createTestServer({ env })
    server.expectLog(/refused a page/)
    const ada = server.as(await server.given.user({ totp: true }))
    ada.headers = { origin, host: 'muster.example.com' }
    expect((await ada.call(savePreferences, WRITE)).status).toBe(expected)
  })

  test('only the allowed origin may call with credentials', async () => {
    await using server = await createTestServer({ env })
    const preflight = (origin: string) =>
      server.anonymous.send({
        method: 'OPTIONS',
        url: '/agents/',
        headers: { origin, 'access-control-request-method': 'GET', host: 'muster.example.com' },
      })
    const allowed = await preflight('https://tools.example.com')
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': 'https://tools.example.com',
      'access-control-allow-credentials': 'true',
    })
    const other = await preflight('https://evil.example')
    expect(other.headers['access-control-allow-origin']).toBeUndefined()
  })
})

test('programs, which send no origin, may write', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user())
  ada.headers = { origin: '' }
  expect((await ada.call(savePreferences, WRITE)).status).toBe(200)
})

test('a socket from a foreign page is refused before it opens', async () => {
  await using server = await createTestServer()
  for (const url of ['/ws/live/', '/agent/ws']) {
    const answer = await server.anonymous.send({
      method: 'GET',
      url,
      headers: { origin: 'http://evil.example', upgrade: 'websocket', connection: 'upgrade' },
    })
    expect([answer.status, answer.error.code]).toEqual([403, 'bad_origin'])
  }
})

test('an invalid Host header is refused', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user())
  for (const host of ['evil.example/$(id)', 'a b', '"; reboot #', '[::1']) {
    ada.headers = { host, origin: '' }
    expect((await ada.call(getVersion, {})).status).toBe(400)
  }
})
