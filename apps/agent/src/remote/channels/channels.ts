import {
  CHANNEL_KIND,
  type ChannelEnd,
  decodeChannelFrame,
  encodeChannelEnd,
  MAX_CHANNELS,
} from '@muster/contract/agent/channel'
import { Channel } from './channel.ts'

const COLLECT_EVERY_BYTES = 1024 * 1024
let passed = 0

/**
 * Counts transferred bytes, and makes V8 collect young objects in time. The bytes are outside its heap: V8 counts
 * them towards a full collection instead, which with a heap as small as the agent's was two thirds of the cost of a
 * transfer. Does nothing if Node was started without --expose-gc.
 */
function countPassing(bytes: number): void {
  passed += bytes
  if (passed < COLLECT_EVERY_BYTES) return
  passed = 0
  globalThis.gc?.({ type: 'minor' })
}

/** Limit for bytes in the socket that the system has not accepted. They delay every key press. */
const MAX_BUFFERED_BYTES = 64 * 1024

/** The connection as channels need it. */
export interface ChannelLink {
  /** `false` = no link. `onTaken` is called when the system has accepted the bytes. */
  sendBytes: (bytes: Uint8Array, onTaken: () => void) => boolean
  bufferedBytes: () => number
}

/**
 * The channels of the link. Each sends one frame per round, and the socket gets only a little at a time: a stream
 * of a gigabyte delays a key press by a few frames and takes one window of memory per channel.
 */
export class Channels {
  #link: ChannelLink
  #channels = new Map<number, Channel>()
  #isStalled = false

  constructor(link: ChannelLink) {
    this.#link = link
  }

  get size(): number {
    return this.#channels.size
  }

  /** Returns a new channel, or why there is none. */
  open(id: number): Channel | ChannelEnd {
    const taken = this.#channels.get(id)
    const refusal = taken === undefined ? this.#whyNotMore() : NUMBER_TAKEN
    if (refusal !== undefined) {
      if (taken === undefined) this.#sendEnd(id, refusal)
      return refusal
    }
    const channel = new Channel(id, () => this.#push())
    this.#channels.set(id, channel)
    return channel
  }

  /** A binary frame of the server. */
  take(bytes: Uint8Array): void {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame) {
      if (frame.channel !== undefined)
        this.#refuse(frame.channel, { code: 'bad_frame', message: frame.wrong })
      return
    }
    const channel = this.#channels.get(frame.channel)
    if (channel === undefined) {
      // Frames in flight when this side ended the channel need no reply. Others must not wait for one.
      if (frame.kind !== CHANNEL_KIND.end && frame.kind !== CHANNEL_KIND.credit)
        this.#sendEnd(frame.channel, UNKNOWN)
      return
    }
    const wrong = channel.take(frame)
    countPassing(bytes.length)
    if (wrong !== undefined) this.#refuse(frame.channel, wrong)
    if (channel.isOver) this.#channels.delete(channel.id)
  }

  /** Ends all channels and their tools. */
  endAll(end: ChannelEnd): void {
    for (const id of this.#channels.keys()) this.#refuse(id, end)
  }

  linkLost(): void {
    const channels = [...this.#channels.values()]
    this.#channels.clear()
    this.#isStalled = false
    for (const channel of channels)
      channel.drop({ code: 'link_lost', message: 'The link to the machine was lost.' })
  }

  #refuse(id: number, end: ChannelEnd): void {
    const channel = this.#channels.get(id)
    this.#channels.delete(id)
    this.#sendEnd(id, end)
    channel?.drop(end)
  }

  #whyNotMore(): ChannelEnd | undefined {
    if (this.#channels.size < MAX_CHANNELS) return undefined
    return { code: 'too_many', message: `This machine already has ${MAX_CHANNELS} open channels.` }
  }

  #sendEnd(id: number, end: ChannelEnd): void {
    this.#link.sendBytes(encodeChannelEnd(id, end), () => {})
  }

  #push(): void {
    for (;;) {
      let sent = false
      for (const channel of this.#channels.values()) {
        if (this.#link.bufferedBytes() >= MAX_BUFFERED_BYTES) {
          this.#isStalled = true
          return
        }
        const frame = channel.nextFrame()
        if (channel.isOver) this.#channels.delete(channel.id)
        if (frame === undefined) continue
        sent = true
        if (!this.#link.sendBytes(frame, () => this.#onTaken())) return
        countPassing(frame.length)
        // Moves it to the end of the turn.
        if (this.#channels.delete(channel.id)) this.#channels.set(channel.id, channel)
        break
      }
      if (!sent) return
    }
  }

  #onTaken(): void {
    if (!this.#isStalled) return
    this.#isStalled = false
    this.#push()
  }
}

const UNKNOWN: ChannelEnd = { code: 'not_found', message: 'The channel does not exist on this machine.' }
const NUMBER_TAKEN: ChannelEnd = { code: 'refused', message: 'A channel with this number is already open.' }
