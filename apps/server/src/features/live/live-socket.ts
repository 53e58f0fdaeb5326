import { LIVE_CLOSE } from '@muster/contract/events'
import type { LiveMessage } from '@muster/contract/live-messages'
import type { WebSocket } from 'ws'
import type { LiveCaller } from '../../platform/http/caller.ts'
import type { Visibility } from './visibility.ts'

/** Maximum unread data of a console: some seconds of a large, busy fleet. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024

/** A console that has redeemed its ticket. */
export class LiveSocket {
  caller: LiveCaller
  visibleScope: Visibility
  /** False until `ready` is sent. The console fetches everything after that. */
  isReady = false
  checkedAtMs = performance.now()
  receivedAtMs = performance.now()
  #socket: WebSocket
  #mostBufferedBytes: number
  #lastCounts = ''

  constructor(
    socket: WebSocket,
    viewer: { caller: LiveCaller; visibleScope: Visibility },
    mostBufferedBytes = MAX_BUFFERED_BYTES,
  ) {
    this.#socket = socket
    this.caller = viewer.caller
    this.visibleScope = viewer.visibleScope
    this.#mostBufferedBytes = mostBufferedBytes
  }

  send(message: LiveMessage): void {
    this.sendText(JSON.stringify(message))
  }

  /** Sends the counts if they have changed. */
  sendMachineCounts(message: string): void {
    if (message === this.#lastCounts) return
    this.#lastCounts = message
    this.sendText(message)
  }

  /** Sends a serialized message. Most are written once for many consoles. */
  sendText(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    if (this.#socket.bufferedAmount > this.#mostBufferedBytes) {
      this.close(LIVE_CLOSE.tooSlow, 'This connection is too slow for the live updates. Reconnect.')
      return
    }
    this.#socket.send(text)
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }
}
