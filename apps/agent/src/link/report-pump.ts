import { WebSocket } from 'ws'
import type { Outbox } from '../state/outbox.ts'

/** Bytes handed to the socket and not yet taken by the system, beyond which reports wait in the outbox. */
const MAX_BUFFERED_BYTES = 1024 * 1024
const BATCH = 32

/** Sends the outbox over one connection, from its start and in order, as fast as the connection takes it. */
export class ReportPump {
  #socket: WebSocket
  #outbox: Outbox
  #isStalled = false
  #willPush = false
  /** The last report that was sent on this connection. */
  sentSeq = 0

  constructor(socket: WebSocket, outbox: Outbox) {
    this.#socket = socket
    this.#outbox = outbox
  }

  /** What comes in one turn of the event loop is sent together, so that the server stores it together. */
  pushSoon(): void {
    if (this.#willPush) return
    this.#willPush = true
    setImmediate(() => {
      this.#willPush = false
      this.push()
    })
  }

  push(): void {
    while (this.#mayWrite()) {
      const batch = this.#outbox.listAfter(this.sentSeq, BATCH)
      for (const { seq, json } of batch) {
        this.sentSeq = seq
        this.#socket.send(`{"type":"report","seq":${seq},"report":${json}}`, () => this.#onTaken())
      }
      if (batch.length < BATCH) return
    }
  }

  #mayWrite(): boolean {
    if (this.#socket.readyState !== WebSocket.OPEN) return false
    this.#isStalled = this.#socket.bufferedAmount >= MAX_BUFFERED_BYTES
    return !this.#isStalled
  }

  #onTaken(): void {
    if (this.#isStalled) this.push()
  }
}
