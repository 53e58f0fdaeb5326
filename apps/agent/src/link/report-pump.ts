import { WebSocket } from 'ws'
import type { Outbox } from '../state/outbox.ts'

/** Limit for bytes in the socket that the system has not accepted. Beyond it, reports wait in the outbox. */
const MAX_BUFFERED_BYTES = 1024 * 1024
/**
 * Limit for unacknowledged bytes. The server acknowledges at its own pace, so a backlog waits in the outbox and not
 * in the connection, where it would delay what users do.
 */
const MAX_UNACKNOWLEDGED_BYTES = 256 * 1024
const BATCH = 32

/** Sends the outbox over one connection, oldest first, as fast as the connection accepts it. */
export class ReportPump {
  #socket: WebSocket
  #outbox: Outbox
  #isStalled = false
  #willPush = false
  #unacknowledged: { seq: number; bytes: number }[] = []
  #unacknowledgedBytes = 0
  /** The last report sent on this connection. */
  sentSeq = 0

  constructor(socket: WebSocket, outbox: Outbox) {
    this.#socket = socket
    this.#outbox = outbox
  }

  /** Reports of one turn of the event loop are sent together, so that the server stores them together. */
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
        if (this.#isFull()) return
        const bytes = Buffer.byteLength(json)
        this.#unacknowledged.push({ seq, bytes })
        this.#unacknowledgedBytes += bytes
        this.sentSeq = seq
        this.#socket.send(`{"type":"report","seq":${seq},"report":${json}}`, () => this.#onTaken())
      }
      if (batch.length < BATCH) return
    }
  }

  /** Reports up to and including this number are stored. */
  acknowledge(seq: number): void {
    const done = this.#unacknowledged.findIndex((report) => report.seq > seq)
    const stored = this.#unacknowledged.splice(0, done < 0 ? this.#unacknowledged.length : done)
    const wasFull = this.#isFull()
    for (const { bytes } of stored) this.#unacknowledgedBytes -= bytes
    if (wasFull && !this.#isFull()) this.push()
  }

  #isFull(): boolean {
    return this.#unacknowledgedBytes >= MAX_UNACKNOWLEDGED_BYTES
  }

  #mayWrite(): boolean {
    if (this.#socket.readyState !== WebSocket.OPEN) return false
    if (this.#isFull()) return false
    this.#isStalled = this.#socket.bufferedAmount >= MAX_BUFFERED_BYTES
    return !this.#isStalled
  }

  #onTaken(): void {
    if (this.#isStalled) this.push()
  }
}
