import {
  CHANNEL_KIND,
  type ChannelEnd,
  type ChannelFrame,
  decodeChannelFrame,
  encodeChannelFrame,
  encodeCredit,
  readChannelEnd,
} from '@muster/contract/agent/channel'
import { channelPath } from '@muster/contract/channels'
import { WebSocket } from 'ws'
import type { TestUser } from '../../testing/test-given.ts'
import type { TestServer } from '../../testing/test-server.ts'
import { cookieHeader, getTicket, onceOpen } from '../live/test-console.ts'

/** A user's window on a tool, on a real socket. */
export class TestWindow implements Disposable {
  readonly socket: WebSocket
  readonly frames: ChannelFrame[] = []
  readonly texts: string[] = []
  readonly closed: Promise<{ code: number; reason: string }>

  /** `user`: whose browser it is. */
  constructor(url: string, agentId: string, user?: TestUser, path = channelPath(agentId)) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, {
      origin: url,
      headers: cookieHeader(user),
    })
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
    })
    this.socket.on('error', () => undefined)
    this.socket.on('message', (data, isBinary) => {
      if (!isBinary) return void this.texts.push((data as Buffer).toString())
      const frame = decodeChannelFrame(data as Buffer)
      if ('wrong' in frame) throw new Error(frame.wrong)
      this.frames.push(frame)
    })
  }

  static async open(
    server: TestServer,
    given: { url: string; agentId: string; user: TestUser; session?: string },
  ): Promise<TestWindow> {
    const window = new TestWindow(given.url, given.agentId, given.user)
    const ticket = await getTicket(server, given.user)
    await onceOpen(window.socket)
    window.hello(ticket, given.session)
    return window
  }

  hello(ticket: string, session: string | null = null): void {
    this.ask(ticket, { tool: 'terminal', session, cols: 80, rows: 24 })
  }

  ask(ticket: string, request: unknown, reason?: string): void {
    this.socket.send(JSON.stringify({ type: 'hello', ticket, purpose: reason, request }))
  }

  get end(): ChannelEnd | undefined {
    const last = this.frames.find(({ kind }) => kind === CHANNEL_KIND.end)
    return last === undefined ? undefined : readChannelEnd(last.payload)
  }

  get bytes(): Buffer {
    const data = this.frames.filter(({ kind }) => kind === CHANNEL_KIND.data)
    return Buffer.concat(data.map(({ payload }) => payload))
  }

  get text(): string {
    return this.bytes.toString()
  }

  type(text: string | Uint8Array): void {
    const payload = typeof text === 'string' ? Buffer.from(text) : text
    this.socket.send(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 0, payload }))
  }

  credit(bytes: number): void {
    this.socket.send(encodeCredit(0, bytes))
  }

  [Symbol.dispose](): void {
    this.socket.terminate()
  }
}
