import { writeSync } from 'node:fs'
import type { Socket } from 'node:net'

const RETRY_MS = 10

/**
 * Writes to the controlling end of a terminal. The terminal takes 4 kB and then waits for its program; a stream of Node
 * would make the whole agent wait with it, by asking again and again. This one asks a hundred times a second.
 */
export class PtyWriter {
  #fd: number
  /** Reads from the same descriptor, and closes it. */
  #socket: Socket
  #queue: { bytes: Buffer; onTaken: () => void }[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(fd: number, socket: Socket) {
    this.#fd = fd
    this.#socket = socket
    socket.once('close', () => clearTimeout(this.#timer))
  }

  write(bytes: Buffer, onTaken: () => void): void {
    this.#queue.push({ bytes, onTaken })
    if (this.#timer === undefined) this.#push()
  }

  #push(): void {
    this.#timer = undefined
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      // Its number may be that of another file by now.
      if (this.#socket.destroyed) return
      const written = this.#tryWrite(first.bytes)
      if (written === undefined) return
      if (written < first.bytes.length) {
        first.bytes = first.bytes.subarray(written)
        this.#timer = setTimeout(() => this.#push(), RETRY_MS)
        return
      }
      this.#queue.shift()
      first.onTaken()
    }
  }

  /** Undefined = its program has ended. */
  #tryWrite(bytes: Buffer): number | undefined {
    try {
      return writeSync(this.#fd, bytes)
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause)) throw cause
      return cause.code === 'EAGAIN' ? 0 : undefined
    }
  }
}
