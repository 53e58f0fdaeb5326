import { LIVE_CLOSE, type LiveMessage } from '@muster/contract/events'
import type { WebSocket } from 'ws'
import type { LiveCaller } from '../../platform/http/caller.ts'
import type { Sight } from './sight.ts'

/** What a console may have waiting unread: some seconds of the busiest fleet. */
const MOST_BUFFERED_BYTES = 8 * 1024 * 1024

/** One console that has shown its ticket. */
export class LiveSocket {
  caller: LiveCaller
  sight: Sight
  /** False until `ready` is sent: the console fetches everything after it. */
  isReady = false
  checkedAtMs = performance.now()
  heardAtMs = performance.now()
  #socket: WebSocket
  #mostBufferedBytes: number
  #lastCounts = ''

  constructor(
    socket: WebSocket,
    viewer: { caller: LiveCaller; sight: Sight },
    mostBufferedBytes = MOST_BUFFERED_BYTES,
  ) {
    this.#socket = socket
    this.caller = viewer.caller
    this.sight = viewer.sight
    this.#mostBufferedBytes = mostBufferedBytes
  }

  tell(message: LiveMessage): void {
    this.sendText(JSON.stringify(message))
  }

  /** Sends the counts, unless they are those that the console knows. */
  tellCounts(message: string): void {
    if (message === this.#lastCounts) return
    this.#lastCounts = message
    this.sendText(message)
  }

  /** Text of a message; most are written once for many consoles. */
  sendText(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    if (this.#socket.bufferedAmount > this.#mostBufferedBytes) {
      this.close(LIVE_CLOSE.tooSlow, 'This connection is too slow for what there is to tell.')
      return
    }
    this.#socket.send(text)
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }
}
