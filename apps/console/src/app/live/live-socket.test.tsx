import { LIVE_CLOSE } from '@muster/contract/events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  LiveSocket,
  type LiveSocketHandlers,
  PING_EVERY_MS,
  PONG_WITHIN_MS,
  RETRY_BLOCKED_MS,
  retryDelayMs,
} from './live-socket.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', FakeSocket)
  FakeSocket.all = []
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** The browser's socket, with the server's side in the test's hands. */
class FakeSocket extends EventTarget {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  static all: FakeSocket[] = []
  static get last(): FakeSocket | undefined {
    return FakeSocket.all.at(-1)
  }
  readyState = 0
  sent: string[] = []
  constructor() {
    super()
    FakeSocket.all.push(this)
  }
  send(text: string): void {
    this.sent.push(text)
  }
  close(): void {
    this.readyState = 3
  }
  accept(): void {
    this.readyState = 1
    this.dispatchEvent(new Event('open'))
  }
  say(message: unknown): void {
    const data = typeof message === 'string' ? message : JSON.stringify(message)
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
  drop(code = 1006): void {
    this.readyState = 3
    this.dispatchEvent(new CloseEvent('close', { code }))
  }
}

async function openLink(more: Partial<LiveSocketHandlers> = {}) {
  const events: string[] = []
  const handlers: LiveSocketHandlers = {
    fetchTicket: () => Promise.resolve('ticket-1'),
    onReady: ({ again }) => events.push(again ? 'ready again' : 'ready'),
    onMessage: ({ type }) => events.push(type),
    onReceived: (ms) => ms !== undefined && events.push(`pong ${ms}`),
    onLost: () => events.push('lost'),
    onBlocked: () => events.push('blocked'),
    isSessionReplaced: () => Promise.resolve(false),
    onSessionEnded: () => events.push('session ended'),
    ...more,
  }
  const link = new LiveSocket('ws://server/ws/live/', handlers)
  await settle()
  return { link, events }
}

async function connect() {
  FakeSocket.last?.accept()
  FakeSocket.last?.say({ type: 'ready', version: '0.1.0' })
  await settle()
}

/** Lets the promises of one attempt run. */
const settle = () => vi.advanceTimersByTimeAsync(0)

test('the socket sends hello with its ticket, then pings', async () => {
  const { events } = await openLink()
  await connect()
  expect(FakeSocket.last?.sent).toEqual(['{"type":"hello","ticket":"ticket-1"}', 'ping'])
  await vi.advanceTimersByTimeAsync(30)
  FakeSocket.last?.say('pong')
  expect(events).toEqual(['ready', 'pong 30'])
  await vi.advanceTimersByTimeAsync(PING_EVERY_MS)
  expect(FakeSocket.last?.sent.filter((text) => text === 'ping')).toHaveLength(2)
})

test('a ping without a response is a lost connection, and the next attempt follows', async () => {
  const { events } = await openLink()
  await connect()
  await vi.advanceTimersByTimeAsync(PONG_WITHIN_MS)
  expect(events).toEqual(['ready', 'lost'])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(FakeSocket.all).toHaveLength(2)
  await connect()
  expect(events).toEqual(['ready', 'lost', 'ready again'])
})

test('a silent server is given up', async () => {
  await openLink()
  FakeSocket.last?.accept()
  await vi.advanceTimersByTimeAsync(PONG_WITHIN_MS + 1_000)
  expect(FakeSocket.all).toHaveLength(2)
})

test('sockets that fail although there are tickets are blocked by a proxy, until one delivers a message', async () => {
  const { events } = await openLink()
  FakeSocket.last?.drop()
  // A server that restarts between the ticket and the socket looks the same once.
  expect(events).toEqual(['lost'])
  await vi.advanceTimersByTimeAsync(1_000)
  FakeSocket.last?.drop()
  expect(events).toEqual(['lost', 'blocked'])
  await vi.advanceTimersByTimeAsync(RETRY_BLOCKED_MS - 1)
  expect(FakeSocket.all).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  expect(FakeSocket.all).toHaveLength(3)
  await connect()
  FakeSocket.last?.drop()
  expect(events).toEqual(['lost', 'blocked', 'ready', 'lost'])
})

test('a proxy that swallows the handshake or the messages blocks as well', async () => {
  const { events } = await openLink()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(events.slice(0, 2)).toEqual(['lost', 'blocked'])
  FakeSocket.last?.accept()
  await vi.advanceTimersByTimeAsync(PONG_WITHIN_MS)
  expect(events.at(-1)).toBe('blocked')
})

test('without tickets the server is lost, also behind a proxy that blocks', async () => {
  let isDown = false
  const { events, link } = await openLink({
    fetchTicket: () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve('ticket')),
  })
  FakeSocket.last?.drop()
  await vi.advanceTimersByTimeAsync(1_000)
  FakeSocket.last?.drop()
  isDown = true
  link.tryNow()
  await settle()
  expect(events).toEqual(['lost', 'blocked', 'lost'])
})

test('a refusal by the server is not blamed on a proxy', async () => {
  const { events } = await openLink()
  for (let attempt = 0; attempt < 3; attempt += 1) {
    FakeSocket.last?.accept()
    FakeSocket.last?.drop(LIVE_CLOSE.ticketRefused)
    await vi.advanceTimersByTimeAsync(4_000)
  }
  expect(events).toEqual(['lost', 'lost', 'lost'])
})

test('a missing ticket counts as a failed attempt', async () => {
  let attempts = 0
  const { events } = await openLink({
    fetchTicket: () => {
      attempts += 1
      return attempts < 4 ? Promise.reject(new Error('down')) : Promise.resolve('ticket-4')
    },
  })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(attempts).toBe(4)
  expect(events).toEqual(['lost', 'lost', 'lost'])
  await connect()
  expect(events.at(-1)).toBe('ready')
})

test('a session that has ended ends the attempts', async () => {
  const { events } = await openLink()
  await connect()
  FakeSocket.last?.drop(LIVE_CLOSE.sessionEnded)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(events).toEqual(['ready', 'session ended'])
  expect(FakeSocket.all).toHaveLength(1)
})

test('a session that another sign-in has replaced connects with the new one', async () => {
  const { events } = await openLink({ isSessionReplaced: () => Promise.resolve(true) })
  await connect()
  FakeSocket.last?.drop(LIVE_CLOSE.sessionEnded)
  await settle()
  await connect()
  expect(events).toEqual(['ready', 'ready again'])
})

test('garbage and unknown messages are ignored', async () => {
  const { events } = await openLink()
  await connect()
  for (const message of ['{', '[]', { type: 'fireworks' }, { type: 'agents', changed: 'all' }])
    FakeSocket.last?.say(message)
  FakeSocket.last?.say({ type: 'agents', changed: [], added: [], removed: [] })
  expect(events).toEqual(['ready', 'agents'])
})

test('messages of an older connection are ignored', async () => {
  const { events } = await openLink()
  await connect()
  const old = FakeSocket.last
  old?.drop()
  await vi.advanceTimersByTimeAsync(1_000)
  await connect()
  old?.say({ type: 'agents', changed: [], added: [], removed: [] })
  old?.drop()
  expect(events).toEqual(['ready', 'lost', 'ready again'])
})

test('coming back to the page pings at once', async () => {
  await openLink()
  await connect()
  FakeSocket.last?.say('pong')
  window.dispatchEvent(new Event('online'))
  expect(FakeSocket.last?.sent.filter((text) => text === 'ping')).toHaveLength(2)
})

test('after disposal nothing is sent', async () => {
  const { link, events } = await openLink()
  await connect()
  link[Symbol.dispose]()
  FakeSocket.last?.drop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(FakeSocket.all).toHaveLength(1)
  expect(events).toEqual(['ready'])
})

test('a connection cancelled while opening closes once open', async () => {
  const { link } = await openLink()
  const socket = FakeSocket.last
  link[Symbol.dispose]()
  expect(socket?.readyState).toBe(FakeSocket.CONNECTING)
  socket?.accept()
  expect(socket?.readyState).toBe(3)
  expect(socket?.sent).toEqual([])
})

test('pauses grow to a limit and differ between consoles', () => {
  expect(retryDelayMs(0, 0)).toBe(150)
  expect(retryDelayMs(0, 1)).toBe(300)
  expect(retryDelayMs(2, 1)).toBe(1_200)
  expect(retryDelayMs(20, 1)).toBe(3_000)
  expect(retryDelayMs(20, 0)).toBe(1_500)
})
