import type { Socket } from 'node:net'
import { AppError } from '@muster/contract/errors'
import type { WebSocket } from 'ws'
import { readAddress } from '../outbound/address-kind.ts'

export interface GateLimits {
  /** Sockets of one address (one /64 network for IPv6) before sign-in. */
  perSource: number
  /** Sockets of all addresses before sign-in. */
  total: number
  /** Bytes that one socket may send before sign-in. */
  bytes: number
  /** Bytes that all sockets of one address may send before sign-in. */
  bytesPerSource: number
}

/** Pings and pongs cost work, and real clients send fewer of them before sign-in. */
const MAX_CONTROL_FRAMES = 20
const RETRY_AFTER_SECONDS = 10

/**
 * WebSockets before their sign-in. Their peers are unknown, so their number and the bytes they send are limited.
 * Authenticated sockets do not count.
 */
export class SignInGate {
  #limits: GateLimits
  #sources = new Map<string, { sockets: number; bytes: number }>()
  #total = 0

  constructor(limits: GateLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#total
  }

  /** Called before the upgrade. Throws `too_many_requests` if the limit is reached. */
  requireRoom(address: string): void {
    const { perSource, total } = this.#limits
    const sockets = this.#sources.get(networkOf(address))?.sockets ?? 0
    if (sockets < perSource && this.#total < total) return
    throw new AppError('too_many_requests', 'Too many connections are waiting to sign in. Try again later.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }

  /** Counts the socket, and ends it if it sends too much. Returns a function to call after its sign-in. */
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

/** One IPv6 customer has at least 2^64 addresses, so the /64 network counts. */
export function networkOf(text: string): string {
  const address = readAddress(text)
  if (address === undefined) return text
  if (!('parts' in address)) return address.toString()
  const groups = address.parts.slice(0, 4).map((part) => part.toString(16))
  return `${groups.join(':')}::/64`
}
