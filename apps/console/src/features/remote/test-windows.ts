import { type ChannelEndCode, encodeChannelEnd } from '@muster/contract/agent/channel'
import { onTestFinished, vi } from 'vitest'

/** Windows of a remote tool, each with the messages it gets from the machine or the server. */
export function givenWindows(...says: ((socket: Socket) => void)[]) {
  let count = 0
  vi.stubGlobal(
    'WebSocket',
    class extends Socket {
      constructor() {
        super()
        const say = says[count]
        count += 1
        queueMicrotask(() => {
          this.dispatchEvent(new Event('open'))
          say?.(this)
        })
      }
    },
  )
  onTestFinished(() => {
    vi.unstubAllGlobals()
    sessionStorage.clear()
  })
}

class Socket extends EventTarget {
  static readonly OPEN = 1
  readonly readyState = 1
  binaryType = ''
  readonly sent: string[] = []

  send(message: string | Uint8Array): void {
    if (typeof message === 'string') this.sent.push(message)
  }

  close(): void {}

  deliver(frame: Uint8Array<ArrayBuffer>): void {
    this.dispatchEvent(new MessageEvent('message', { data: frame.buffer }))
  }

  end(code: ChannelEndCode, message: string): void {
    this.deliver(encodeChannelEnd(0, { code, message }) as Uint8Array<ArrayBuffer>)
    this.dispatchEvent(new CloseEvent('close', { code: 4000 }))
  }
}
