import {
  CHANNEL_KIND,
  type ChannelEnd,
  decodeChannelFrame,
  encodeChannelEnd,
  isCounted,
  MAX_CHANNELS,
  readChannelEnd,
  readCredit,
} from '@muster/contract/agent/channel'
import { SendWindow } from '@muster/contract/agent/channel-flow'

const LOOK_EVERY_BYTES = 4 * 1024 * 1024
let passed = 0

/**
 * Counts bytes that only pass through and triggers V8's young collections in time. The bytes live outside the heap, so
 * V8 counts them towards a full collection: one every 17 MB at 100 ms of CPU, two thirds of the server's cost of a
 * transfer. Does nothing if Node was started without --expose-gc.
 */
export function countPassing(bytes: number): void {
  passed += bytes
  if (passed < LOOK_EVERY_BYTES) return
  passed = 0
  globalThis.gc?.({ type: 'minor' })
}

/** Receives the frames of a channel. The channel number in the frames may be any. */
export interface ChannelReader {
  onFrame: (frame: Uint8Array) => void
  /** The channel ended, but not by `end` of this side. */
  onEnd: (end: ChannelEnd) => void
}

/** The writing side of a channel. */
export interface ChannelWriter {
  send: (frame: Uint8Array) => void
  end: (end: ChannelEnd) => void
}

/**
 * The channels of one agent's link. Frames pass through with only their number changed and are buffered only by the two
 * sockets. Both sides are held to the credit granted by the other, so neither can fill the memory of this server.
 */
export class LinkChannels {
  #write: (bytes: Uint8Array) => void
  #channels = new Map<number, LinkChannel>()
  #lastId = 0

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write
  }

  get size(): number {
    return this.#channels.size
  }

  /** Opens a channel with an unused number. The caller still has to notify the agent. */
  open(channelReader: ChannelReader): LinkChannel | ChannelEnd {
    if (this.#channels.size >= MAX_CHANNELS) {
      return {
        code: 'too_many',
        message: `This machine has ${MAX_CHANNELS} open channels, the maximum. Close one and try again.`,
      }
    }
    this.#lastId += 1
    const channel = new LinkChannel(this.#lastId, channelReader, {
      write: (bytes) => this.#write(bytes),
      remove: (id) => this.#channels.delete(id),
    })
    this.#channels.set(channel.id, channel)
    return channel
  }

  /** Handles a binary frame of the agent. Returns false if no channel has its number. */
  take(bytes: Uint8Array): boolean {
    const frame = decodeChannelFrame(bytes)
    const channel = frame.channel === undefined ? undefined : this.#channels.get(frame.channel)
    if (!('wrong' in frame)) {
      if (channel !== undefined) {
        channel.take(frame.kind, frame.payload, bytes)
        return true
      }
      if (!isCounted(frame.kind)) return false
    }
    const end: ChannelEnd =
      'wrong' in frame
        ? { code: 'bad_frame', message: frame.wrong }
        : { code: 'not_found', message: 'This channel does not exist.' }
    if (channel !== undefined) channel.fail(end)
    else if (frame.channel !== undefined) this.#write(encodeChannelEnd(frame.channel, end))
    return false
  }

  linkLost(): void {
    const channels = [...this.#channels.values()]
    this.#channels.clear()
    for (const channel of channels)
      channel.drop({ code: 'link_lost', message: 'The link to the machine was lost.' })
  }
}

export class LinkChannel implements ChannelWriter {
  readonly id: number
  #channelReader: ChannelReader
  #link: { write: (bytes: Uint8Array) => void; remove: (id: number) => void }
  #fromMachine = new SendWindow()
  #toMachine = new SendWindow()
  #isOver = false

  constructor(
    id: number,
    channelReader: ChannelReader,
    link: { write: (bytes: Uint8Array) => void; remove: (id: number) => void },
  ) {
    this.id = id
    this.#channelReader = channelReader
    this.#link = link
  }

  /** A frame from the user. */
  send(bytes: Uint8Array): void {
    if (this.#isOver) return
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame) return this.fail({ code: 'bad_frame', message: frame.wrong })
    if (frame.kind === CHANNEL_KIND.end) return this.end(readChannelEnd(frame.payload))
    const isFair = isCounted(frame.kind)
      ? this.#toMachine.take(frame.payload.length)
      : this.#fromMachine.add(readCredit(frame.payload))
    if (!isFair) return this.fail(OVER_WINDOW)
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(1, this.id)
    this.#link.write(bytes)
    countPassing(bytes.length)
  }

  end(end: ChannelEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#link.remove(this.id)
    this.#link.write(encodeChannelEnd(this.id, end))
  }

  /** A frame from the agent. */
  take(kind: number, payload: Uint8Array, bytes: Uint8Array): void {
    if (kind === CHANNEL_KIND.end) return this.drop(readChannelEnd(payload))
    const isFair =
      kind === CHANNEL_KIND.credit
        ? this.#toMachine.add(readCredit(payload))
        : this.#fromMachine.take(payload.length)
    if (!isFair) return this.fail(OVER_WINDOW)
    this.#channelReader.onFrame(bytes)
    countPassing(bytes.length)
  }

  /** Ends the channel on both sides. */
  fail(end: ChannelEnd): void {
    if (this.#isOver) return
    this.end(end)
    this.#channelReader.onEnd(end)
  }

  /** The agent's side no longer exists. */
  drop(end: ChannelEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#link.remove(this.id)
    this.#channelReader.onEnd(end)
  }
}

const OVER_WINDOW: ChannelEnd = {
  code: 'over_window',
  message: 'The channel received more data than its window allows.',
}
