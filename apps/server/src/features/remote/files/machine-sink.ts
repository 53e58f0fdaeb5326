import {
  CHANNEL_HEADER_BYTES,
  CHANNEL_KIND,
  type ChannelEnd,
  decodeChannelFrame,
  encodeChannelFrame,
  encodeChannelText,
  encodeCredit,
  readChannelText,
  readCredit,
} from '@muster/contract/agent/channel'
import { SendWindow } from '@muster/contract/agent/channel-flow'
import { UploadNews } from '@muster/contract/agent/files'
import type { ChannelEar, ChannelMouth } from '../../../platform/agent-link/link-channels.ts'

const PIECE_BYTES = 32 * 1024

/** Sends bytes to a machine as fast as it gives credit for them, and hears how far it has come. */
export class MachineSink implements ChannelEar {
  /** How it ended. */
  readonly ended: Promise<ChannelEnd>
  #onEnded = Promise.withResolvers<ChannelEnd>()
  #window = new SendWindow()
  #mouth: ChannelMouth | undefined
  #end: ChannelEnd | undefined
  #wake: (() => void)[] = []
  #news: UploadNews[] = []

  constructor() {
    this.ended = this.#onEnded.promise
  }

  connect(mouth: ChannelMouth): void {
    this.#mouth = mouth
    if (this.#end !== undefined) mouth.end(this.#end)
  }

  onFrame(bytes: Uint8Array): void {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame) return
    if (frame.kind === CHANNEL_KIND.credit && !this.#window.add(readCredit(frame.payload)))
      return this.end({ code: 'over_window', message: 'The machine gave more credit than there is.' })
    if (frame.kind === CHANNEL_KIND.text) {
      const news = UploadNews.safeParse(readChannelText(frame.payload))
      if (news.success) this.#news.push(news.data)
      this.#mouth?.send(encodeCredit(0, frame.payload.length))
    }
    this.#notify()
  }

  onEnd(end: ChannelEnd): void {
    this.#end ??= end
    this.#onEnded.resolve(this.#end)
    this.#notify()
  }

  end(end: ChannelEnd): void {
    if (this.#end !== undefined) return
    this.#mouth?.end(end)
    this.onEnd(end)
  }

  /** What the machine says of this kind; undefined where it has ended before. */
  async hear(type: UploadNews['type']): Promise<UploadNews | undefined> {
    return this.#until(() => this.#news.find((news) => news.type === type))
  }

  /** Sends all of it; false where the machine has ended it before. */
  async send(body: AsyncIterable<Buffer>): Promise<boolean> {
    for await (const bytes of body) {
      for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
        const payload = bytes.subarray(from, from + PIECE_BYTES)
        if ((await this.#until(() => this.#window.take(payload.length))) === undefined) return false
        this.#mouth?.send(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 0, payload }))
      }
    }
    // A message counts against the window as bytes do.
    const done = encodeChannelText(0, { type: 'done' })
    const counted = done.length - CHANNEL_HEADER_BYTES
    if ((await this.#until(() => this.#window.take(counted))) === undefined) return false
    this.#mouth?.send(done)
    return true
  }

  async #until<T>(look: () => T | undefined | false): Promise<T | undefined> {
    for (;;) {
      const found = look()
      if (found !== undefined && found !== false) return found
      if (this.#end !== undefined) return undefined
      await new Promise<void>((resolve) => this.#wake.push(resolve))
    }
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }
}
