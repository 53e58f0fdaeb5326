import { EVENTS, LIVE_CLOSE } from '@muster/contract/events'
import type { LiveMessage } from '@muster/contract/live-messages'
import { HEARTBEAT_MESSAGE } from '@muster/rules/text/layout'

export const PING_EVERY_MS = 10_000
export const PONG_WITHIN_MS = 5_000
const RETRY_FIRST_MS = 300
const RETRY_MOST_MS = 3_000
/** A proxy is not changed within seconds, and each attempt costs a ticket. */
export const RETRY_BLOCKED_MS = 15_000
/** Some proxies never answer the handshake. */
const OPEN_WITHIN_MS = 20_000
/** One failure may be a server that restarts between the ticket and the socket. */
export const BLOCKED_FROM = 2
/** RFC 6455, 7.4.1: the connection ended without a close frame. */
export const NO_CLOSE_CODE = 1006

export interface LiveSocketHandlers {
  /** Returns a fresh one-time ticket; a rejection counts as a failed attempt. */
  fetchTicket(signal: AbortSignal): Promise<string>
  /** The server has accepted the ticket; `again` from the second time on. */
  onReady(message: { version: string; again: boolean }): void
  onMessage(message: LiveMessage): void
  /** A message arrived; with the round-trip time if it answers a ping. */
  onReceived(roundTripMs: number | undefined): void
  /** The connection broke; the next attempt follows automatically. */
  onLost(): void
  /** The server issues tickets, but its messages do not arrive: a proxy does not pass WebSockets. Attempts go on. */
  onBlocked(): void
  /** The server ended the session. Resolves to whether another session can take over. */
  isSessionReplaced(): Promise<boolean>
  /** The session has ended: no more attempts. */
  onSessionEnded(): void
}

/**
 * Keeps one live socket to the server: gets a ticket, sends hello, pings, and reconnects with growing, jittered pauses
 * until disposed. One attempt at a time; messages of an older attempt are ignored.
 */
export class LiveSocket implements Disposable {
  #handlers: LiveSocketHandlers
  #url: string
  #attempt = new AbortController()
  #failures = 0
  /** Sockets in a row that delivered nothing, although the server had issued a ticket for each. */
  #mute = 0
  #wasReady = false
  #socket: WebSocket | undefined
  #pingSentAt: number | undefined
  #timers = new Set<ReturnType<typeof setTimeout>>()
  #disposed = false

  constructor(url: string, handlers: LiveSocketHandlers) {
    this.#url = url
    this.#handlers = handlers
    window.addEventListener('online', this.#hurry)
    document.addEventListener('visibilitychange', this.#hurry)
    void this.#connect()
  }

  [Symbol.dispose](): void {
    this.#disposed = true
    window.removeEventListener('online', this.#hurry)
    document.removeEventListener('visibilitychange', this.#hurry)
    this.#dropAttempt()
  }

  async #connect(): Promise<void> {
    this.#dropAttempt()
    const attempt = new AbortController()
    this.#attempt = attempt
    try {
      const ticket = await this.#handlers.fetchTicket(attempt.signal)
      if (!attempt.signal.aborted) this.#open(ticket, attempt.signal)
    } catch {
      // fetchTicket's caller has shown the error already; here it is a failed attempt.
      if (attempt.signal.aborted) return
      this.#mute = 0
      this.#retry()
    }
  }

  #open(ticket: string, signal: AbortSignal): void {
    const socket = new WebSocket(this.#url)
    this.#socket = socket
    this.#mute += 1
    this.#after(OPEN_WITHIN_MS, () => this.#lose())
    const options = { signal }
    socket.addEventListener(
      'open',
      () => {
        this.#clearTimers()
        socket.send(JSON.stringify({ type: 'hello', ticket }))
        // A server that accepts the connection but stays silent counts as unreachable.
        this.#after(PONG_WITHIN_MS, () => this.#lose())
      },
      options,
    )
    socket.addEventListener('message', (event: MessageEvent<unknown>) => this.#receive(event.data), options)
    socket.addEventListener(
      'close',
      ({ code }) => {
        // A code of the server has passed the proxy; 1006 is the browser's own.
        if (code !== NO_CLOSE_CODE) this.#mute = 0
        if (code === LIVE_CLOSE.sessionEnded) void this.#endSession()
        else this.#lose()
      },
      options,
    )
  }

  #receive(data: unknown): void {
    if (typeof data !== 'string') return
    this.#mute = 0
    if (data === 'pong') {
      this.#clearTimers()
      this.#handlers.onReceived(
        this.#pingSentAt === undefined ? undefined : performance.now() - this.#pingSentAt,
      )
      this.#pingSentAt = undefined
      this.#after(PING_EVERY_MS, () => this.#ping())
      return
    }
    const message = readMessage(data)
    if (message === undefined) return
    this.#handlers.onReceived(undefined)
    if (message.type === 'ready') {
      this.#failures = 0
      const again = this.#wasReady
      this.#wasReady = true
      this.#clearTimers()
      this.#handlers.onReady({ version: message.version, again })
      this.#ping()
    } else this.#handlers.onMessage(message)
  }

  #ping(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    this.#clearTimers()
    this.#pingSentAt = performance.now()
    this.#socket.send(HEARTBEAT_MESSAGE)
    this.#after(PONG_WITHIN_MS, () => this.#lose())
  }

  async #endSession(): Promise<void> {
    this.#dropAttempt()
    const replaced = await this.#handlers.isSessionReplaced()
    if (this.#disposed) return
    if (replaced) return this.#connect()
    this[Symbol.dispose]()
    this.#handlers.onSessionEnded()
  }

  #lose(): void {
    this.#dropAttempt()
    this.#retry()
  }

  #retry(): void {
    if (this.#disposed) return
    const isBlocked = this.#mute >= BLOCKED_FROM
    if (isBlocked) this.#handlers.onBlocked()
    else this.#handlers.onLost()
    this.#clearTimers()
    // A first silent socket is followed by the next one soon, which shows why.
    const delayMs = retryDelayMs(this.#mute === 0 ? this.#failures : 0, Math.random())
    this.#after(isBlocked ? RETRY_BLOCKED_MS : delayMs, () => void this.#connect())
    this.#failures += 1
  }

  /** Tries again at once instead of after a pause. */
  tryNow(): void {
    if (!this.#disposed && this.#socket === undefined) void this.#connect()
  }

  // Back from sleep or a network loss: check at once instead of at the next ping.
  #hurry = (): void => {
    if (this.#disposed || document.visibilityState === 'hidden') return
    if (this.#socket?.readyState === WebSocket.OPEN && this.#pingSentAt === undefined) this.#ping()
    else if (this.#socket === undefined && this.#failures > 0) void this.#connect()
  }

  #dropAttempt(): void {
    this.#clearTimers()
    this.#attempt.abort()
    if (this.#socket) closeQuietly(this.#socket)
    this.#socket = undefined
    this.#pingSentAt = undefined
  }

  #after(delayMs: number, run: () => void): void {
    this.#timers.add(setTimeout(run, delayMs))
  }

  #clearTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }
}

/** Pause before the next attempt: doubles up to a limit, then 50 to 100 % of it, so that consoles do not reconnect in step. */
export function retryDelayMs(failures: number, random: number): number {
  const most = Math.min(RETRY_MOST_MS, RETRY_FIRST_MS * 2 ** failures)
  return most / 2 + (most / 2) * random
}

// Browsers warn of a socket that is closed before it is open.
function closeQuietly(socket: WebSocket): void {
  if (socket.readyState === WebSocket.CONNECTING) socket.addEventListener('open', () => socket.close())
  else socket.close()
}

/**
 * A message of the console's own server; undefined if it is unreadable. A newer server may send messages and events that
 * this console does not know yet. The schema would bring zod into what a browser loads first.
 */
function readMessage(text: string): LiveMessage | undefined {
  let message: Partial<LiveMessage> | null
  try {
    // Each of its fields is checked.
    message = JSON.parse(text) as Partial<LiveMessage> | null
  } catch {
    return undefined
  }
  return message !== null && isComplete(message) ? message : undefined
}

function isComplete(message: Partial<LiveMessage>): message is LiveMessage {
  switch (message.type) {
    case 'ready':
      return typeof message.version === 'string'
    case 'changed':
      return Array.isArray(message.events) && message.events.every(({ type }) => Object.hasOwn(EVENTS, type))
    case 'agents':
      return [message.changed, message.added, message.removed].every((list) => Array.isArray(list))
    case 'counts':
      return typeof message.counts === 'object'
    case undefined:
    default:
      return false
  }
}
