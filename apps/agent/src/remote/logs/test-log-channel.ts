import {
  CHANNEL_KIND,
  type ChannelEnd,
  encodeChannelEnd,
  encodeCredit,
  readChannelEnd,
  readChannelText,
} from '@muster/contract/agent/channel'
import { LogNews, type LogSource } from '@muster/contract/agent/logs'
import type { TestServer } from '../../testing/test-server.ts'

let lastChannel = 5000

/** A log channel that is read at once unless a test wants to wait. */
export class LogChannel {
  readonly id: number
  #server: TestServer
  #reads: boolean

  constructor(server: TestServer, source: LogSource, { reads = true }: { reads?: boolean } = {}) {
    this.#server = server
    this.#reads = reads
    lastChannel += 1
    this.id = lastChannel
    const before = server.onChannelFrame
    server.onChannelFrame = (frame) => {
      before(frame)
      const isCounted = frame.kind === CHANNEL_KIND.data || frame.kind === CHANNEL_KIND.text
      if (this.#reads && frame.channel === this.id && isCounted) this.#credit(frame.payload.length)
    }
    server.command(server.sign('open-channel', { channel: this.id, tool: { tool: 'log', source } }))
  }

  get #frames() {
    return this.#server.channelFrames.filter(({ channel }) => channel === this.id)
  }

  get bytes(): Buffer {
    return Buffer.concat(
      this.#frames.filter(({ kind }) => kind === CHANNEL_KIND.data).map(({ payload }) => payload),
    )
  }

  get text(): string {
    return this.bytes.toString()
  }

  get news(): LogNews[] {
    return this.#frames
      .filter(({ kind }) => kind === CHANNEL_KIND.text)
      .map(({ payload }) => LogNews.parse(readChannelText(payload)))
  }

  /** Continues to read after a pause. */
  read(): void {
    this.#reads = true
    this.#credit(this.#frames.reduce((sum, { payload }) => sum + payload.length, 0))
  }

  close(): void {
    this.#server.sendRaw(encodeChannelEnd(this.id, { code: 'closed', message: 'Closed.' }))
  }

  has(text: string): Promise<true> {
    return this.#server.until(() => this.bytes.includes(text))
  }

  untilNews(type: LogNews['type']): Promise<LogNews> {
    return this.#server.until(() => this.news.find((news) => news.type === type))
  }

  ended(): Promise<ChannelEnd> {
    return this.#server.until(() => {
      const last = this.#frames.find(({ kind }) => kind === CHANNEL_KIND.end)
      return last === undefined ? undefined : readChannelEnd(last.payload)
    })
  }

  #credit(bytes: number): void {
    this.#server.sendRaw(encodeCredit(this.id, bytes))
  }
}
