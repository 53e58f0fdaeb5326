import { createSocketTicket } from '@muster/contract/api/system'
import { LiveMessage } from '@muster/contract/live-messages'
import { WebSocket } from 'ws'
import type { TestServer } from '../../testing/test-server.ts'
import type { TestUser } from '../../testing/test-given.ts'
import { PATIENCE_MS } from '../../../../../tools/patience.ts'

type MessageOf<Type extends LiveMessage['type']> = Extract<LiveMessage, { type: Type }>

/** A console on a real socket that records messages and waits for expected ones. */
export interface TestConsole extends Disposable {
  socket: WebSocket
  messages: LiveMessage[]
  /** Arrival times of the messages, in milliseconds of performance.now(). */
  times: number[]
  /** The first matching message, past or future. */
  next<Type extends LiveMessage['type']>(
    type: Type,
    fits?: (message: MessageOf<Type>) => boolean,
  ): Promise<MessageOf<Type>>
  closed: Promise<{ code: number; reason: string }>
}

export async function getTicket(server: TestServer, user: TestUser): Promise<string> {
  const { body } = await server.as(user).call(createSocketTicket, {})
  return body.ticket
}

/** Connects, redeems a ticket of the user, and waits until the server is ready. */
export async function openConsole(server: TestServer, url: string, user: TestUser): Promise<TestConsole> {
  const opened = connectConsole(url, user)
  const ticket = await getTicket(server, user)
  await onceOpen(opened.socket)
  opened.socket.send(JSON.stringify({ type: 'hello', ticket }))
  await opened.next('ready')
  return opened
}

/** The cookies of a user's browser. */
export function cookieHeader(user: TestUser | undefined): Record<string, string> {
  const cookies = Array.from(user?.cookies ?? [], ([name, value]) => `${name}=${value}`)
  return cookies.length === 0 ? {} : { cookie: cookies.join('; ') }
}

/** Connects without a message, from the browser of a user. */
export function connectConsole(url: string, user?: TestUser): TestConsole {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/live/`, {
    origin: url,
    headers: cookieHeader(user),
  })
  const messages: LiveMessage[] = []
  const times: number[] = []
  const waiting = new Set<() => void>()
  socket.on('message', (data) => {
    // Text messages arrive as one Buffer.
    const text = (data as Buffer).toString()
    if (text === 'pong') return
    messages.push(LiveMessage.parse(JSON.parse(text)))
    times.push(performance.now())
    for (const look of waiting) look()
  })
  socket.on('error', () => undefined)
  const { promise: closed, resolve } = Promise.withResolvers<{ code: number; reason: string }>()
  socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  return {
    socket,
    messages,
    times,
    closed,
    next(type, fits = () => true) {
      const found = Promise.withResolvers<MessageOf<typeof type>>()
      const timer = setTimeout(() => {
        found.reject(new Error(`No fitting "${type}" among ${JSON.stringify(messages)}`))
      }, PATIENCE_MS)
      const look = () => {
        // Narrowed by its type.
        const message = messages.find(
          (candidate) => candidate.type === type && fits(candidate as MessageOf<typeof type>),
        )
        if (message !== undefined) found.resolve(message as MessageOf<typeof type>)
      }
      waiting.add(look)
      look()
      return found.promise.finally(() => {
        clearTimeout(timer)
        waiting.delete(look)
      })
    },
    [Symbol.dispose]: () => socket.terminate(),
  }
}

export function onceOpen(socket: WebSocket): Promise<void> {
  if (socket.readyState === socket.OPEN) return Promise.resolve()
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve())
    socket.once('error', reject)
  })
}

/** The status of a refused upgrade, or 101. */
export function upgradeStatus(
  url: string,
  headers: Record<string, string>,
  path = '/ws/live/',
): Promise<number> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers })
  return new Promise((resolve) => {
    socket.on('unexpected-response', (_request, response) => {
      resolve(response.statusCode ?? 0)
      socket.terminate()
    })
    socket.on('error', () => undefined)
    socket.on('open', () => {
      resolve(101)
      socket.terminate()
    })
  })
}
