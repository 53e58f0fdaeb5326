import {
  CHANNEL_KIND,
  type ChannelEnd,
  decodeChannelFrame,
  encodeChannelEnd,
  encodeChannelFrame,
  encodeCredit,
  readChannelEnd,
  readChannelText,
} from '@muster/contract/agent/channel'
import { createSocketTicket } from '@muster/contract/api/system'
import { channelPath, TerminalNews, type ToolRequest } from '@muster/contract/channels'
import { DesktopNews } from '@muster/contract/desktop'
import { vi } from 'vitest'
import { openSocket, type Session } from '../support/sign-in.ts'
import { PATIENCE_MS } from '../../tools/patience.ts'

/** A browser's window on a tool of a machine, without the drawing. */
export class ToolWindow {
  #socket: WebSocket
  bytes = Buffer.alloc(0)
  readonly news: (TerminalNews | DesktopNews)[] = []
  /** The reason for the end that the user sees. */
  end: ChannelEnd | undefined
  isClosed = false

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('message', ({ data }: { data: unknown }) => {
      if (data instanceof ArrayBuffer) this.#take(new Uint8Array(data))
    })
    socket.addEventListener('close', () => {
      this.isClosed = true
    })
  }

  /** `through`: the address that the browser reaches the server by. */
  static async open(
    session: Session,
    given: { through: string; agentId: string; request: ToolRequest },
  ): Promise<ToolWindow> {
    const { ticket } = await session.call(createSocketTicket, {})
    const socket = openSocket(session, `${given.through.replace('http', 'ws')}${channelPath(given.agentId)}`)
    const window = new ToolWindow(socket)
    await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
    socket.send(JSON.stringify({ type: 'hello', ticket, request: given.request }))
    return window
  }

  get text(): string {
    return this.bytes.toString()
  }

  send(payload: Buffer): void {
    this.#socket.send(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 0, payload }))
  }

  /** The session that the machine has opened. */
  async opened(): Promise<{ session: string; password: string | null }> {
    return vi.waitFor(() => {
      const found = this.news.find((news) => news.type === 'opened')
      if (found === undefined) throw new Error(`it is not open: ${this.end?.message}`)
      return { session: found.session, password: 'password' in found ? found.password : null }
    }, WAIT)
  }

  /** Waits until so many bytes came; answers all of them. */
  async atLeast(count: number): Promise<Buffer> {
    return vi.waitFor(() => {
      if (this.bytes.length < count) throw new Error(`${this.bytes.length} bytes came`)
      return this.bytes
    }, WAIT)
  }

  close(): void {
    this.#socket.send(encodeChannelEnd(0, { code: 'closed', message: 'Closed.' }))
    this.#socket.close()
  }

  #take(bytes: Uint8Array): void {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame) throw new Error(frame.wrong)
    const { kind, payload } = frame
    if (kind === CHANNEL_KIND.end) this.end = readChannelEnd(payload)
    if (kind === CHANNEL_KIND.data) this.bytes = Buffer.concat([this.bytes, payload])
    if (kind === CHANNEL_KIND.text) {
      const news = TerminalNews.or(DesktopNews).safeParse(readChannelText(payload))
      if (news.success) this.news.push(news.data)
    }
    if (kind === CHANNEL_KIND.data || kind === CHANNEL_KIND.text)
      this.#socket.send(encodeCredit(0, payload.length))
  }
}

export const WAIT = { timeout: PATIENCE_MS, interval: 50 }
