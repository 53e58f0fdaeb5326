import {
  CHANNEL_KIND,
  type ChannelFrame,
  decodeChannelFrame,
  encodeChannelFrame,
  encodeChannelText,
} from '@muster/contract/agent/channel'
import { createSocketTicket } from '@muster/contract/api/system'
import { onTestFinished, vi } from 'vitest'
import { givenSession } from '../../testing/test-console.tsx'
import { answer, fakeServer } from '../../testing/test-server.ts'
import { openTerminal } from './terminal-view.ts'

/** A terminal on the page, and the machine behind it as a test wants it. */
export async function givenTerminal() {
  givenSession({ token: 'token', username: 'ada' })
  const server = fakeServer()
  server.on(createSocketTicket, () => answer(createSocketTicket, { ticket: 'ticket', expires_in: 30 }))
  const opened = Promise.withResolvers<MachineSocket>()
  vi.stubGlobal(
    'WebSocket',
    class extends MachineSocket {
      constructor() {
        super()
        opened.resolve(this)
      }
    },
  )
  const place = document.createElement('div')
  place.style.cssText = 'width: 800px; height: 400px'
  document.body.append(place)
  const titles: (string | undefined)[] = []
  const view = openTerminal(place, {
    agentId: 'alpha0000000',
    place: '1',
    request: {},
    onState: () => {},
    onTitle: (title) => void titles.push(title),
  })
  onTestFinished(() => {
    view[Symbol.dispose]()
    place.remove()
    sessionStorage.clear()
    vi.unstubAllGlobals()
  })
  const machine = await opened.promise
  await vi.waitFor(() => {
    if (!machine.isGreeted) throw new Error('no hello yet')
  })
  const field = place.querySelector('textarea')
  if (field === null) throw new Error('xterm has a field for what is typed')
  view.focus()
  return { machine, place, view, field, titles }
}

/** The socket of a channel with a machine at its other end. */
class MachineSocket extends EventTarget {
  static readonly OPEN = 1
  readonly readyState = 1
  binaryType = ''
  isGreeted = false
  readonly #frames: ChannelFrame[] = []

  constructor() {
    super()
    queueMicrotask(() => this.dispatchEvent(new Event('open')))
  }

  /** Typed and pasted text, and the responses of xterm itself. */
  get received(): string {
    const pieces = this.#frames.filter(({ kind }) => kind === CHANNEL_KIND.data)
    return pieces.map(({ payload }) => new TextDecoder().decode(payload)).join('')
  }

  send(data: string | Uint8Array): void {
    if (typeof data !== 'string') {
      const frame = decodeChannelFrame(data)
      if (!('wrong' in frame)) this.#frames.push(frame)
      return
    }
    if (data === 'ping') return
    this.isGreeted = true
    const session = crypto.randomUUID()
    this.#deliver(
      encodeChannelText(0, { type: 'opened', session, shell: '/bin/bash', user: 'root', resumed: false }),
    )
  }

  close(): void {}

  /** The machine writes; cut as it likes. */
  print(text: string): void {
    const bytes = new TextEncoder().encode(text)
    for (let from = 0; from < bytes.length; from += 16_384) {
      const payload = bytes.subarray(from, from + 16_384)
      this.#deliver(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 0, payload }))
    }
  }

  #deliver(frame: Uint8Array<ArrayBuffer>): void {
    this.dispatchEvent(new MessageEvent('message', { data: frame.buffer }))
  }
}
