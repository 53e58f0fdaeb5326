import type { RfbChannel } from '@novnc/novnc'

/** A channel as noVNC wants it: like a WebSocket that is open. */
export class RfbSocket implements RfbChannel {
  readonly protocol = ''
  readyState = 'open'
  binaryType = 'arraybuffer'
  onopen: RfbChannel['onopen'] = null
  onmessage: RfbChannel['onmessage'] = null
  onclose: RfbChannel['onclose'] = null
  onerror: RfbChannel['onerror'] = null
  #send: (bytes: Uint8Array) => void

  constructor(send: (bytes: Uint8Array) => void) {
    this.#send = send
  }

  /** noVNC fills the same bytes again. */
  send(bytes: Uint8Array): void {
    this.#send(bytes.slice())
  }

  close(): void {
    if (this.readyState === 'closed') return
    this.readyState = 'closed'
    queueMicrotask(() => this.onclose?.({}))
  }

  /** Bytes of the machine. */
  receive(bytes: Uint8Array): void {
    // A copy of its own: what comes is a part of a frame.
    if (this.readyState === 'open') this.onmessage?.({ data: bytes.slice().buffer })
  }
}
