import { LIVE_CLOSE } from '@muster/contract/events'
import { endSession, logout } from '@muster/contract/api/sessions'
import { expect, test, vi } from 'vitest'
import type { TestUser } from '../../testing/test-given.ts'
import { createTestServer } from '../../testing/test-server.ts'
import { connectConsole, getTicket, onceOpen, openConsole, upgradeStatus } from './test-console.ts'

async function prepare(options: Parameters<typeof createTestServer>[0] = {}) {
  const server = await createTestServer(options)
  const { url, port } = await server.listen()
  return { server, url, port, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

async function sayHello(url: string, ticket: string, user?: TestUser) {
  const console = connectConsole(url, user)
  await onceOpen(console.socket)
  console.socket.send(JSON.stringify({ type: 'hello', ticket }))
  return console
}

test('a ticket opens one socket, which receives the version and the counts', async () => {
  await using prepared = await prepare()
  const { server, url } = prepared
  const ada = await server.given.user({ permissions: ['can_list_agents'] })
  const ticket = await getTicket(server, ada)
  using first = await sayHello(url, ticket, ada)
  expect(await first.next('ready')).toEqual({ type: 'ready', version: expect.any(String) })
  expect(await first.next('counts')).toMatchObject({ counts: { total_server_count: 0 } })
  using second = await sayHello(url, ticket, ada)
  expect((await second.closed).code).toBe(LIVE_CLOSE.ticketRefused)
})

test('a ticket is refused after 30 seconds, and so is an invented one', async () => {
  await using prepared = await prepare()
  const { server, url } = prepared
  const ada = await server.given.user()
  const ticket = await getTicket(server, ada)
  server.clock.advance(31)
  using late = await sayHello(url, ticket, ada)
  using madeUp = await sayHello(url, 'x'.repeat(43))
  expect((await late.closed).code).toBe(LIVE_CLOSE.ticketRefused)
  expect((await madeUp.closed).code).toBe(LIVE_CLOSE.ticketRefused)
})

test('a ticket does not outlive its session', async () => {
  await using prepared = await prepare()
  const { server, url } = prepared
  const ada = await server.given.user()
  const ticket = await getTicket(server, ada)
  await server.as(ada).call(logout, {})
  using console = await sayHello(url, ticket, ada)
  expect((await console.closed).code).toBe(LIVE_CLOSE.ticketRefused)
})

test('a ticket is good only in the browser of the session that got it', async () => {
  await using prepared = await prepare()
  const { server, url } = prepared
  const [ada, eve] = [await server.given.user(), await server.given.user()]
  const again = await server.given.anotherSignIn(ada)
  for (const thief of [eve, undefined, again]) {
    const ticket = await getTicket(server, ada)
    using stolen = await sayHello(url, ticket, thief)
    expect((await stolen.closed).code).toBe(LIVE_CLOSE.ticketRefused)
    // It was consumed.
    using owner = await sayHello(url, ticket, ada)
    expect((await owner.closed).code).toBe(LIVE_CLOSE.ticketRefused)
  }
  using own = await sayHello(url, await getTicket(server, ada), ada)
  expect(await own.next('ready')).toBeDefined()
})

test('only pages of the own origin may connect', async () => {
  await using prepared = await prepare()
  const { server, url, port } = prepared
  server.expectLog(/an address that the server does not know/)
  const host = `127.0.0.1:${port}`
  const status = (origin: string, more: Record<string, string> = {}) =>
    upgradeStatus(url, { origin, ...more })
  expect(await status(`http://${host}`)).toBe(101)
  const foreign = [
    'http://evil.example',
    `http://sub.${host}`,
    `http://${host}.evil.example`,
    `http://127.0.0.1.evil.example:${port}`,
    `https://${host}`,
    'http://127.0.0.1:1',
    'http://127.0.0.1',
    `http://user@${host}`,
    `http://${host}/`,
    `http://localhost:${port}`,
    'null',
    '',
  ]
  for (const origin of foreign) expect([origin, await status(origin)]).toEqual([origin, 403])
  // A name of an attacker that resolves to this machine.
  expect(await status(`http://evil.example:${port}`, { host: `evil.example:${port}` })).toBe(403)
})

test('a server with a public URL accepts exactly that origin and the allowed ones', async () => {
  await using prepared = await prepare({
    env: {
      MUSTER_PUBLIC_URL: 'https://rmm.example.com',
      MUSTER_ALLOWED_ORIGINS: 'https://tools.example.com',
      MUSTER_HOST: '0.0.0.0',
    },
  })
  const { server, url } = prepared
  server.expectLog(/an address that the server does not know/)
  const status = (origin: string) => upgradeStatus(url, { origin, host: 'rmm.example.com' })
  expect(await status('https://rmm.example.com')).toBe(101)
  expect(await status('https://tools.example.com')).toBe(101)
  const foreign = [
    'http://rmm.example.com',
    'https://rmm.example.com:8443',
    'https://x.rmm.example.com',
    'https://rmm.example.com.evil.example',
    'https://evilrmm.example.com',
    'https://example.com',
    'https://RMM.example.com',
    'https://x.tools.example.com',
  ]
  for (const origin of foreign) expect([origin, await status(origin)]).toEqual([origin, 403])
})

test('a console that sends nothing, invalid data or too much is closed with a reason', async () => {
  await using prepared = await prepare()
  const { server, url } = prepared
  const ada = await server.given.user()
  const send = async (data: string | Buffer) => {
    const console = connectConsole(url)
    await onceOpen(console.socket)
    console.socket.send(data)
    return (await console.closed).code
  }
  expect(await send('garbage')).toBe(LIVE_CLOSE.unknownMessage)
  expect(await send('{"type":"hello"}')).toBe(LIVE_CLOSE.unknownMessage)
  expect(await send('{"type":"hello","ticket":{"$ne":""}}')).toBe(LIVE_CLOSE.unknownMessage)
  expect(await send('x'.repeat(5000))).toBe(1009)
  expect(await send(Buffer.from([1, 2, 3]))).toBe(1003)
  using silent = connectConsole(url)
  expect(await silent.closed).toMatchObject({
    code: LIVE_CLOSE.ticketRefused,
    reason: expect.stringContaining('5 seconds'),
  })
  for (const [text, code] of [
    ['{"type":"subscribe"}', LIVE_CLOSE.unknownMessage],
    ['x'.repeat(100_000), 1009],
  ] as const) {
    using console = await openConsole(server, url, ada)
    console.socket.send(text)
    expect((await console.closed).code).toBe(code)
  }
})

test('a ping is answered, before and after the ticket', async () => {
  await using prepared = await prepare()
  const { server, url } = prepared
  const ada = await server.given.user()
  using console = connectConsole(url, ada)
  await onceOpen(console.socket)
  const pong = () =>
    new Promise((resolve) => console.socket.once('message', (data: Buffer) => resolve(data.toString())))
  console.socket.send('ping')
  expect(await pong()).toBe('pong')
  const ticket = await getTicket(server, ada)
  console.socket.send(JSON.stringify({ type: 'hello', ticket }))
  await console.next('ready')
  console.socket.send('ping')
  expect(await pong()).toBe('pong')
})

test('ending a session closes its sockets at once, and no others', async () => {
  await using prepared = await prepare()
  const { server, url } = prepared
  const ada = await server.given.user()
  const boss = await server.given.user({ permissions: ['can_manage_accounts', 'can_list_accounts'] })
  using one = await openConsole(server, url, ada)
  using two = await openConsole(server, url, ada)
  using other = await openConsole(server, url, boss)
  await server.as(boss).call(endSession, { params: { digest: ada.sessionDigest } })
  expect(await Promise.all([one.closed, two.closed])).toMatchObject([
    { code: LIVE_CLOSE.sessionEnded },
    { code: LIVE_CLOSE.sessionEnded },
  ])
  expect(other.socket.readyState).toBe(other.socket.OPEN)
})

test('an expired session closes its socket', async () => {
  await using prepared = await prepare()
  const { server, url } = prepared
  using console = await openConsole(server, url, await server.given.user())
  server.clock.advance(12 * 3600 + 1)
  expect((await console.closed).code).toBe(LIVE_CLOSE.sessionEnded)
})

test('a deactivated user loses the socket', async () => {
  await using prepared = await prepare()
  const { server, url } = prepared
  const ada = await server.given.user()
  using console = await openConsole(server, url, ada)
  await server.ctx.db.updateTable('users').set({ is_active: 0 }).where('id', '=', ada.id).execute()
  server.ctx.emit({ type: 'user.changed', ids: [ada.id] })
  expect((await console.closed).code).toBe(LIVE_CLOSE.sessionEnded)
})

test('a console that is silent for 45 seconds is closed, one that pings is not', async () => {
  await using prepared = await prepare()
  const { server, url } = prepared
  const ada = await server.given.user()
  using silent = await openConsole(server, url, ada)
  using pinging = await openConsole(server, url, ada)
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 46_000)
  try {
    pinging.socket.send('ping')
    expect((await silent.closed).code).toBe(LIVE_CLOSE.silent)
    expect(pinging.socket.readyState).toBe(pinging.socket.OPEN)
  } finally {
    clock.mockRestore()
  }
})

test('a stopping server closes every socket, and does not wait for one that does not respond', async () => {
  const { server, url } = await prepare()
  using greeted = await openConsole(server, url, await server.given.user())
  using waiting = connectConsole(url)
  using dead = connectConsole(url)
  await Promise.all([onceOpen(waiting.socket), onceOpen(dead.socket)])
  dead.socket.pause()
  await server[Symbol.asyncDispose]()
  await Promise.all([greeted.closed, waiting.closed])
})

test('a handshake whose upgrade a proxy removed is answered with the cause, and is in the log once', async () => {
  await using prepared = await prepare()
  const { server, url } = prepared
  server.expectLog(/a proxy in front of the server does not pass WebSockets/)
  for (const path of ['/ws/live/', '/ws/live/', '/agent/ws']) {
    // As nginx sends it with its defaults.
    const headers = { 'sec-websocket-key': 'bXVzdGVyLW11c3Rlci0xMw==', 'sec-websocket-version': '13' }
    const response = await fetch(url + path, { headers })
    expect([response.status, await response.json()]).toEqual([
      426,
      expect.objectContaining({ code: 'upgrade_required', detail: expect.stringContaining('proxy') }),
    ])
  }
  const lines = server.logLines.filter(({ msg }) => /does not pass WebSockets/.test(String(msg)))
  expect(lines.map(({ level }) => level)).toEqual([40])
})
