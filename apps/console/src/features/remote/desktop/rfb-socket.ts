import type { RfbChannel } from '@novnc/novnc'

/** A channel in the form that noVNC needs: like an open WebSocket. */
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

  /** noVNC reuses its buffer. */
  send(bytes: Uint8Array): void {
    this.#send(bytes.slice())
  }

  close(): void {
    if (this.readyState === 'closed') return
    this.readyState = 'closed'
    queueMicrotask(() => this.onclose?.({}))
  }

  /** Bytes from the machine. */
  receive(bytes: Uint8Array): void {
    // A copy: the data is a view of a frame.
    if (this.readyState === 'open') this.onmessage?.({ data: bytes.slice().buffer })
  }
}
