import type { Socket } from 'node:net'
import { AppError } from '@muster/contract/errors'
import type { WebSocket } from 'ws'
import { networkOf } from './network-of.ts'

export interface GateLimits {
  /** Sockets of one address (one /64 network of IPv6) that have not signed in. */
  perSource: number
  /** Sockets that have not signed in, whatever address they come from. */
  total: number
  /** Bytes that one socket may send until it has signed in. */
  bytes: number
  /** Bytes that all sockets of one address may send until they have signed in. */
  bytesPerSource: number
}

/** Pings and pongs are answered or counted, and no honest client sends more of them before it has signed in. */
const MAX_CONTROL_FRAMES = 20
const RETRY_AFTER_SECONDS = 10

/**
 * The WebSockets that have not signed in yet. Nobody knows who they are, so all that they may do is bounded here: how
 * many there are, and how much they send. Sockets that have signed in do not count.
 */
export class SignInGate {
  #limits: GateLimits
  #sources = new Map<string, { sockets: number; bytes: number }>()
  #total = 0

  constructor(limits: GateLimits) {
    this.#limits = limits
  }

  /** Sockets that have not signed in yet. */
  get size(): number {
    return this.#total
  }

  /** Before the upgrade. Throws `too_many_requests` where there is no room for one more. */
  requireRoom(address: string): void {
    const { perSource, total } = this.#limits
    const sockets = this.#sources.get(networkOf(address))?.sockets ?? 0
    if (sockets < perSource && this.#total < total) return
    throw new AppError('too_many_requests', 'Too many connections wait for their sign-in. Try again later.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }

  /** Counts the socket, and ends it when it sends too much. Returns what to call once it has signed in. */
  enter(socket: WebSocket, connection: Socket, address: string): () => void {
    const name = networkOf(address)
    const source = this.#sources.get(name) ?? { sockets: 0, bytes: 0 }
    this.#sources.set(name, source)
    source.sockets += 1
    this.#total += 1
    let bytes = 0
    let controlFrames = 0
    const countBytes = (chunk: Buffer) => {
      bytes += chunk.length
      source.bytes += chunk.length
      if (bytes > this.#limits.bytes || source.bytes > this.#limits.bytesPerSource) socket.terminate()
    }
    const countControl = () => {
      controlFrames += 1
      if (controlFrames > MAX_CONTROL_FRAMES) socket.terminate()
    }
    let hasLeft = false
    const leave = () => {
      if (hasLeft) return
      hasLeft = true
      connection.off('data', countBytes)
      socket.off('ping', countControl).off('pong', countControl).off('close', leave)
      source.sockets -= 1
      source.bytes -= bytes
      this.#total -= 1
      if (source.sockets === 0) this.#sources.delete(name)
    }
    connection.on('data', countBytes)
    socket.on('ping', countControl).on('pong', countControl).on('close', leave)
    return leave
  }
}
