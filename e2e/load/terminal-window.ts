import {
  CHANNEL_KIND,
  decodeChannelFrame,
  encodeChannelEnd,
  encodeChannelFrame,
  encodeCredit,
  readChannelEnd,
} from '@muster/contract/agent/channel'
import { CreditDebt } from '@muster/contract/agent/channel-flow'
import { createSocketTicket } from '@muster/contract/api/system'
import { channelPath, type LogRequest, type ToolRequest } from '@muster/contract/channels'
import { openSocket, type Session } from '../support/sign-in.ts'

/** A terminal of a machine, or a log that is followed, as a browser has it, without the drawing: everything that comes is taken at once. */
export class TerminalWindow implements Disposable {
  #socket: WebSocket
  #debt = new CreditDebt()
  #decoder = new TextDecoder()
  #recent = ''
  #end: string | undefined
  #wake: (() => void) | undefined
  bytes = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('message', ({ data }: { data: unknown }) => {
      if (data instanceof ArrayBuffer) this.#take(new Uint8Array(data))
    })
    socket.addEventListener('close', ({ reason }) => {
      this.#end ??= reason === '' ? 'the connection was lost' : `closed: ${reason}`
      this.#wake?.()
    })
  }

  static async open(
    session: Session,
    agentId: string,
    request: ToolRequest | LogRequest = { tool: 'terminal', session: null, cols: 120, rows: 40 },
  ): Promise<TerminalWindow> {
    const { ticket } = await session.call(createSocketTicket, {})
    const socket = openSocket(session, `${session.url.replace('http', 'ws')}${channelPath(agentId)}`)
    const window = new TerminalWindow(socket)
    await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
    socket.send(JSON.stringify({ type: 'hello', ticket, request }))
    return window
  }

  /** Types text, and drops the earlier output. */
  type(text: string): void {
    this.#recent = ''
    const payload = new TextEncoder().encode(text)
    this.#socket.send(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 0, payload }))
  }

  /** Waits until the end of what came shows this. */
  async until(text: string): Promise<void> {
    while (!this.#recent.includes(text)) {
      if (this.#end !== undefined) throw new Error(`the terminal ended: ${this.#end}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  [Symbol.dispose](): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    this.#socket.send(encodeChannelEnd(0, { code: 'closed', message: 'Measured.' }))
    this.#socket.close()
  }

  #take(bytes: Uint8Array): void {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame) throw new Error(frame.wrong)
    if (frame.kind === CHANNEL_KIND.end) this.#end = readChannelEnd(frame.payload).message
    if (frame.kind === CHANNEL_KIND.data) {
      this.bytes += frame.payload.length
      this.#recent = (this.#recent + this.#decoder.decode(frame.payload, { stream: true })).slice(-500)
    }
    if (frame.kind === CHANNEL_KIND.data || frame.kind === CHANNEL_KIND.text) {
      const credit = this.#debt.consume(frame.payload.length)
      if (credit > 0) this.#socket.send(encodeCredit(0, credit))
    }
    this.#wake?.()
  }
}
