import { createSocketTicket } from '@muster/contract/api/system'
import { expect, test, vi } from 'vitest'
import { connectConsole, onceOpen, openConsole, upgradeStatus } from '../../features/live/test-console.ts'
import { createTestServer } from '../../testing/test-server.ts'

const ROOM = 20

test('unauthenticated connections of one address are limited, authenticated ones are not', async () => {
  await using server = await createTestServer({ consoleGate: { perSource: ROOM } })
  const { url } = await server.listen()
  const ada = await server.given.user()
  using signedIn = await openConsole(server, url, ada)
  expect(server.app.api.gate.size).toBe(0)
  const { ticket } = (await server.as(ada).call(createSocketTicket, {})).body
  const waiting = Array.from({ length: ROOM }, () => connectConsole(url, ada))
  await Promise.all(waiting.map(({ socket }) => onceOpen(socket)))
  expect(server.app.api.gate.size).toBe(ROOM)
  expect(await upgradeStatus(url, { origin: url })).toBe(429)
  // One of them signs in, which frees its slot.
  const [first] = waiting
  first?.socket.send(JSON.stringify({ type: 'hello', ticket }))
  await first?.next('ready')
  expect(await upgradeStatus(url, { origin: url })).toBe(101)
  for (const console of waiting) console[Symbol.dispose]()
  await vi.waitFor(() => expect(server.app.api.gate.size).toBe(0))
  signedIn.socket.send('ping')
})

test('a console that sends more than a hello before its ticket loses the connection', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  using console = connectConsole(url)
  await onceOpen(console.socket)
  const piece = 'x'.repeat(64 * 1024)
  for (let count = 0; count < 3; count += 1) console.socket.send(piece, { fin: false })
  expect((await console.closed).code).toBe(1006)
})
