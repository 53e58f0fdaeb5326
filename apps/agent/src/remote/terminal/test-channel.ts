import { randomUUID } from 'node:crypto'
import {
  ConsentMessage,
  CHANNEL_KIND,
  type ChannelEnd,
  type ChannelEndCode,
  encodeChannelEnd,
  encodeChannelFrame,
  encodeChannelText,
  encodeCredit,
  readChannelEnd,
  readChannelText,
} from '@muster/contract/agent/channel'
import type { ShellRequest } from '@muster/contract/agent/shells'
import { type TerminalJoin, TerminalNews, type TerminalPerson } from '@muster/contract/channels'
import type { TestServer } from '../../testing/test-server.ts'

let lastChannel = 0

/** A browser window on a terminal of the agent, as a server connects it. */
export class TestChannel {
  readonly id: number
  readonly session: string
  #server: TestServer
  #from: number
  #credited = 0

  constructor(
    server: TestServer,
    given: {
      session?: string
      author?: string
      person?: string
      reason?: string
      cols?: number
      rows?: number
      request?: ShellRequest
      join?: TerminalJoin
    } = {},
  ) {
    this.#server = server
    this.#from = server.channelFrames.length
    lastChannel += 1
    this.id = lastChannel
    this.session = given.session ?? randomUUID()
    const { cols = 80, rows = 24, author = 'anna' } = given
    const resume = given.session !== undefined || given.join !== undefined
    const more = { ...given.request, ...(given.join === undefined ? {} : { join: given.join }) }
    const input = {
      channel: this.id,
      person: given.person,
      purpose: given.reason,
      tool: { tool: 'terminal' as const, session: this.session, resume, cols, rows, ...more },
    }
    server.command(server.sign('open-channel', input, { payload: { author } }))
  }

  get #frames() {
    return this.#server.channelFrames.slice(this.#from).filter(({ channel }) => channel === this.id)
  }

  get #pieces() {
    return this.#frames.filter(({ kind }) => kind === CHANNEL_KIND.data).map(({ payload }) => payload)
  }

  get byteCount(): number {
    return this.#pieces.reduce((sum, { length }) => sum + length, 0)
  }

  /** The end of the received bytes. */
  get text(): string {
    return Buffer.concat(this.#pieces.slice(-8)).toString()
  }

  /** Messages about the opening, including the consent request. */
  get received(): (TerminalNews | ConsentMessage)[] {
    return this.#frames
      .filter(({ kind }) => kind === CHANNEL_KIND.text)
      .map(({ payload }) => TerminalNews.or(ConsentMessage).parse(readChannelText(payload)))
  }

  get news(): TerminalNews[] {
    return this.received.filter((news) => news.type !== 'asking')
  }

  get opening(): Extract<TerminalNews, { type: 'opened' }> {
    const found = this.news.find((news) => news.type === 'opened')
    if (found === undefined) throw new Error('it is not open')
    return found
  }

  /** The last received list of users. */
  get people(): TerminalPerson[] | undefined {
    return this.news.findLast((news) => news.type === 'people')?.people
  }

  get end(): ChannelEnd | undefined {
    const last = this.#frames.find(({ kind }) => kind === CHANNEL_KIND.end)
    return last === undefined ? undefined : readChannelEnd(last.payload)
  }

  type(text: string | Uint8Array): void {
    const payload = typeof text === 'string' ? Buffer.from(text) : text
    this.#server.sendRaw(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: this.id, payload }))
  }

  resize(cols: number, rows: number): void {
    this.#server.sendRaw(encodeChannelText(this.id, { type: 'resize', cols, rows }))
  }

  credit(bytes: number): void {
    this.#credited += bytes
    this.#server.sendRaw(encodeCredit(this.id, bytes))
  }

  /** Returns credit for everything received. */
  readAll(): void {
    const behind = this.byteCount - this.#credited
    if (behind > 0) this.credit(behind)
    this.#server.onChannelFrame = ({ channel, kind, payload }) => {
      if (channel === this.id && kind === CHANNEL_KIND.data) this.credit(payload.length)
    }
  }

  close(code: ChannelEndCode): void {
    this.#server.sendRaw(encodeChannelEnd(this.id, { code, message: 'Closed.' }))
  }

  async opened(): Promise<this> {
    await this.#server.until(() => this.news.some(({ type }) => type === 'opened'))
    return this
  }

  async until(pattern: RegExp): Promise<string> {
    return this.#server.until(() => pattern.test(this.text) && this.text)
  }

  async ended(): Promise<ChannelEnd> {
    return this.#server.until(() => this.end)
  }
}
