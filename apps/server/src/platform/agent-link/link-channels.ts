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
import { countPassing } from './passing-bytes.ts'

/** Who is told what comes over a channel. The number in the frames may be any. */
export interface ChannelEar {
  onFrame: (frame: Uint8Array) => void
  /** It is over, and not by `end` of this side. */
  onEnd: (end: ChannelEnd) => void
}

/** A channel as somebody has it who speaks on it. */
export interface ChannelMouth {
  send: (frame: Uint8Array) => void
  end: (end: ChannelEnd) => void
}

/**
 * The channels of one agent's link. Frames go through unchanged but for their number, and wait nowhere but in the two
 * sockets; both sides are held to the credit that the other one gave, so that neither can fill this server's memory.
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

  /** A channel with a number that is new on this link; the machine is still to be told. */
  open(ear: ChannelEar): LinkChannel | ChannelEnd {
    if (this.#channels.size >= MAX_CHANNELS) {
      return {
        code: 'too_many',
        message: `This machine has ${MAX_CHANNELS} channels open, and takes no more.`,
      }
    }
    this.#lastId += 1
    const channel = new LinkChannel(this.#lastId, ear, {
      write: (bytes) => this.#write(bytes),
      forget: (id) => this.#channels.delete(id),
    })
    this.#channels.set(channel.id, channel)
    return channel
  }

  /** A binary frame of the machine. False = it belongs to no channel. */
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
        : { code: 'not_found', message: 'There is no such channel.' }
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

export class LinkChannel implements ChannelMouth {
  readonly id: number
  #ear: ChannelEar
  #link: { write: (bytes: Uint8Array) => void; forget: (id: number) => void }
  #fromMachine = new SendWindow()
  #toMachine = new SendWindow()
  #isOver = false

  constructor(
    id: number,
    ear: ChannelEar,
    link: { write: (bytes: Uint8Array) => void; forget: (id: number) => void },
  ) {
    this.id = id
    this.#ear = ear
    this.#link = link
  }

  /** A frame of the person. */
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
    this.#link.forget(this.id)
    this.#link.write(encodeChannelEnd(this.id, end))
  }

  /** A frame of the machine. */
  take(kind: number, payload: Uint8Array, bytes: Uint8Array): void {
    if (kind === CHANNEL_KIND.end) return this.drop(readChannelEnd(payload))
    const isFair =
      kind === CHANNEL_KIND.credit
        ? this.#toMachine.add(readCredit(payload))
        : this.#fromMachine.take(payload.length)
    if (!isFair) return this.fail(OVER_WINDOW)
    this.#ear.onFrame(bytes)
    countPassing(bytes.length)
  }

  /** Ends it on both sides. */
  fail(end: ChannelEnd): void {
    if (this.#isOver) return
    this.end(end)
    this.#ear.onEnd(end)
  }

  /** The machine's side is gone. */
  drop(end: ChannelEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#link.forget(this.id)
    this.#ear.onEnd(end)
  }
}

const OVER_WINDOW: ChannelEnd = {
  code: 'over_window',
  message: 'More was sent on the channel than its window takes.',
}
