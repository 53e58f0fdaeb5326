import { WebSocket } from 'ws'
import type { Outbox } from '../state/outbox.ts'

/** Bytes handed to the socket and not yet taken by the system, beyond which reports wait in the outbox. */
const MAX_BUFFERED_BYTES = 1024 * 1024
/**
 * Bytes of reports that are sent and not acknowledged. The server acknowledges at the pace of its budget, so that a
 * backlog waits here and not in the connection, where what people do over the same link would wait behind it.
 */
const MAX_UNACKNOWLEDGED_BYTES = 256 * 1024
const BATCH = 32

/** Sends the outbox over one connection, from its start and in order, as fast as the connection takes it. */
export class ReportPump {
  #socket: WebSocket
  #outbox: Outbox
  #isStalled = false
  #willPush = false
  #unacknowledged: { seq: number; bytes: number }[] = []
  #unacknowledgedBytes = 0
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
