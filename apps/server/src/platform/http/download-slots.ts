import { AppError } from '@muster/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from './sign-in-gate.ts'

export interface DownloadLimits {
  /** Downloads at once at one address (one /64 network for IPv6). */
  perSource: number
  /** Downloads at once of all addresses. */
  total: number
  /** A download whose client reads nothing for this long ends. */
  idleMs: number
}

const RETRY_AFTER_SECONDS = 10

/** Downloads of programs, which anyone may start: their number is limited, so that the server keeps time for its work. */
export class DownloadSlots {
  #limits: DownloadLimits
  #sources = new Map<string, number>()
  #total = 0

  constructor(limits: DownloadLimits) {
    this.#limits = limits
  }

  /** Counts a download until its response ends. Throws if the limit is reached. */
  enter({ ip, method }: FastifyRequest, { raw }: FastifyReply): void {
    if (method === 'HEAD') return
    const { perSource, total, idleMs } = this.#limits
    const source = networkOf(ip)
    const running = this.#sources.get(source) ?? 0
    if (running >= perSource)
      throw refusal('too_many_requests', 'Too many downloads run at this address. Try again in a moment.')
    if (this.#total >= total)
      throw refusal('unavailable', 'The server sends programs to many machines. Try again in a moment.')
    this.#sources.set(source, running + 1)
    this.#total += 1
    let seen: number | undefined
    const timer = setInterval(() => {
      const written = raw.socket?.bytesWritten
      if (written === seen) raw.destroy()
      seen = written
    }, idleMs).unref()
    raw.once('close', () => {
      clearInterval(timer)
      const left = (this.#sources.get(source) ?? 1) - 1
      if (left === 0) this.#sources.delete(source)
      else this.#sources.set(source, left)
      this.#total -= 1
    })
  }
}

function refusal(code: 'too_many_requests' | 'unavailable', message: string): AppError {
  return new AppError(code, message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
