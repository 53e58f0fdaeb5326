import { Readable } from 'node:stream'
import {
  CHANNEL_KIND,
  type ChannelEnd,
  decodeChannelFrame,
  encodeCredit,
  readChannelText,
} from '@muster/contract/agent/channel'
import { CreditDebt } from '@muster/contract/agent/channel-flow'
import { FileNews } from '@muster/contract/agent/files'
import type { ChannelEar, ChannelMouth } from '../../../platform/agent-link/link-channels.ts'

const BUFFERED_BYTES = 256 * 1024

/**
 * What a machine sends over a channel, as a stream. Its credit is given back when a piece was taken from here: who
 * reads slowly slows the machine's disk down, and nothing piles up between.
 */
export class MachineStream implements ChannelEar {
  readonly body: Readable
  /** The first message; rejects with why there is none. */
  readonly news: Promise<FileNews>
  /** How it ended: null = whole. */
  readonly ended: Promise<ChannelEnd | null>
  sentBytes = 0
  #mouth: ChannelMouth | undefined
  #debt = new CreditDebt()
  #held = 0
  #left: number | null = null
  #isOver = false
  #onNews = Promise.withResolvers<FileNews>()
  #onEnded = Promise.withResolvers<ChannelEnd | null>()

  constructor() {
    this.news = this.#onNews.promise
    // Whoever opens it hears of it there, or has gone.
    this.news.catch(() => undefined)
    this.ended = this.#onEnded.promise
    this.body = new Readable({
      highWaterMark: BUFFERED_BYTES,
      read: () => this.#release(),
      destroy: (error, done) => {
        this.end({ code: 'closed', message: 'The download was cancelled, or its connection was lost.' })
        done(error)
      },
    })
  }

  connect(mouth: ChannelMouth): void {
    this.#mouth = mouth
    if (this.#isOver) mouth.end({ code: 'closed', message: 'Nobody waits for it any more.' })
    else this.#release()
  }

  onFrame(bytes: Uint8Array): void {
    const frame = decodeChannelFrame(bytes)
    if (this.#isOver || 'wrong' in frame) return
    if (frame.kind === CHANNEL_KIND.text) {
      this.#held += frame.payload.length
      this.#learn(readChannelText(frame.payload))
    }
    if (frame.kind === CHANNEL_KIND.data) this.#take(frame.payload)
  }

  /** The machine has ended it, or it broke. */
  onEnd(end: ChannelEnd): void {
    const isWhole = end.code === 'ended' && (this.#left === null || this.#left === 0)
    if (!isWhole) return this.#finish(end.code === 'ended' ? SHORT : end)
    this.#finish(null)
  }

  /** Ends it from this side, on both. */
  end(end: ChannelEnd): void {
    if (this.#isOver) return
    this.#mouth?.end(end)
    this.#finish(end)
  }

  #learn(message: unknown): void {
    const news = FileNews.safeParse(message)
    if (!news.success) return this.end(UNREADABLE)
    if (news.data.size !== null) this.#left = news.data.size - news.data.offset
    this.#onNews.resolve(news.data)
    this.#release()
  }

  #take(payload: Uint8Array): void {
    if (this.#left !== null) {
      this.#left -= payload.length
      if (this.#left < 0) return this.end(UNREADABLE)
    }
    this.sentBytes += payload.length
    this.#held += payload.length
    if (this.body.push(payload)) this.#release()
  }

  #release(): void {
    if (this.#mouth === undefined || this.#isOver) return
    const credit = this.#debt.consume(this.#held)
    this.#held = 0
    if (credit > 0) this.#mouth.send(encodeCredit(0, credit))
  }

  #finish(problem: ChannelEnd | null): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onEnded.resolve(problem)
    this.#onNews.reject(new Error((problem ?? UNREADABLE).message))
    if (problem === null) this.body.push(null)
    // Without an error: the connection is cut, which is how a browser knows that it has not got all.
    else this.body.destroy()
  }
}

const UNREADABLE: ChannelEnd = {
  code: 'bad_frame',
  message: 'The machine sent something that cannot be read.',
}
const SHORT: ChannelEnd = { code: 'failed', message: 'The machine sent less than it had said.' }
