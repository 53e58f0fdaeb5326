import {
  CHANNEL_CHUNK_BYTES,
  CHANNEL_KIND,
  type ChannelEnd,
  type ChannelFrame,
  encodeChannelEnd,
  encodeChannelFrame,
  encodeCredit,
  readChannelEnd,
  readChannelText,
  readCredit,
} from '@muster/contract/agent/channel'
import { CreditDebt, SendWindow } from '@muster/contract/agent/channel-flow'
import { CHANNEL_WINDOW_BYTES } from '@muster/contract/agent/channel'

/** A tool that has queued more than this should stop until `onDrain`. */
const FULL_BYTES = 64 * 1024

/** How a tool handles its channel. */
export interface ChannelUser {
  /** Bytes from the browser. Call `consumed` of the channel when they are processed. */
  onData: (bytes: Buffer) => void
  onText: (message: unknown) => void
  /** The queue has room again. */
  onDrain: () => void
  /** The channel has ended; nothing can be sent any more. Not called for the tool's own `end`. */
  onEnd: (end: ChannelEnd) => void
}

interface Queued {
  kind: typeof CHANNEL_KIND.data | typeof CHANNEL_KIND.text
  bytes: Uint8Array
  /** For a message that a newer one of the same type replaces. */
  type?: string
}

/** One channel on the machine's side: a queue towards the server that the tool keeps short. */
export class Channel {
  readonly id: number
  #user: ChannelUser | undefined
  #onEarlyEnd: (end: ChannelEnd) => void = () => {}
  /** Bytes received before a tool was attached; never more than a window. */
  #early: ChannelFrame[] = []
  #wake: () => void
  #sending = new SendWindow()
  #receiving = new SendWindow()
  #debt = new CreditDebt()
  #queue: Queued[] = []
  #queuedBytes = 0
  #credit = 0
  #end: ChannelEnd | undefined
  #isOver = false
  /** Another process that has the tool, and its frames. */
  #forward: ((bytes: Uint8Array) => void) | undefined
  #forwarded: Uint8Array[] = []

  /** `wake`: a frame is ready to send. */
  constructor(id: number, wake: () => void) {
    this.id = id
    this.#wake = wake
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether the tool should pause. */
  get isFull(): boolean {
    return this.#queuedBytes >= FULL_BYTES
  }

  use(user: ChannelUser): void {
    this.#user = user
    for (const frame of this.#early.splice(0)) this.#hand(user, frame)
  }

  /** Called if the channel ends before a tool is attached. */
  watchEnd(onEnd: (end: ChannelEnd) => void): void {
    this.#onEarlyEnd = onEnd
  }

  /**
   * From now on the tool is a channel with the same number in another process, which gets the frames by `to`. Returns the
   * function that sends its frames.
   */
  forward(to: (bytes: Uint8Array) => void): (bytes: Uint8Array) => void {
    this.#forward = to
    for (const frame of this.#early.splice(0)) to(encodeChannelFrame(frame))
    return (bytes) => {
      if (this.#isOver) return
      this.#forwarded.push(bytes)
      this.#wake()
    }
  }

  sendData(bytes: Uint8Array): void {
    this.#push({ kind: CHANNEL_KIND.data, bytes })
  }

  sendText(message: unknown): void {
    this.#push({ kind: CHANNEL_KIND.text, bytes: Buffer.from(JSON.stringify(message)) })
  }

  /** A state message: of those that wait for a slow reader, only the newest is kept. */
  sendNewest(message: { type: string; [field: string]: unknown }): void {
    const bytes = Buffer.from(JSON.stringify(message))
    const waiting = this.#queue.find(({ type }) => type === message.type)
    if (waiting === undefined) return this.#push({ kind: CHANNEL_KIND.text, bytes, type: message.type })
    this.#queuedBytes += bytes.length - waiting.bytes.length
    waiting.bytes = bytes
  }

  /** Reports bytes as processed, so that as many may be sent again. */
  consumed(bytes: number): void {
    const credit = this.#debt.consume(bytes)
    if (credit === 0 || this.#isOver) return
    this.#receiving.add(credit)
    this.#credit += credit
    this.#wake()
  }

  /** Ends the channel when all queued data is sent. */
  end(end: ChannelEnd): void {
    if (this.#isOver) return
    this.#end ??= end
    this.#wake()
  }

  /** The link is lost, or the other side has ended the channel. */
  drop(end: ChannelEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#queue = []
    if (this.#forward !== undefined) this.#forward(encodeChannelEnd(this.id, end))
    else if (this.#user === undefined) this.#onEarlyEnd(end)
    else this.#user.onEnd(end)
  }

  /** Handles a frame of this channel. Returns why the channel ends because of it, if it does. */
  take({ kind, payload }: ChannelFrame): ChannelEnd | undefined {
    if (this.#forward !== undefined && kind !== CHANNEL_KIND.end) {
      this.#forward(encodeChannelFrame({ kind, channel: this.id, payload }))
      return undefined
    }
    switch (kind) {
      case CHANNEL_KIND.credit:
        if (!this.#sending.add(readCredit(payload))) return OVER_WINDOW
        this.#wake()
        return undefined
      case CHANNEL_KIND.end:
        this.drop(readChannelEnd(payload))
        return undefined
      case CHANNEL_KIND.data:
      case CHANNEL_KIND.text: {
        if (!this.#receiving.take(payload.length)) return OVER_WINDOW
        const frame = { kind, channel: this.id, payload }
        if (this.#user === undefined) this.#early.push(frame)
        else this.#hand(this.#user, frame)
      }
    }
    return undefined
  }

  #hand(user: ChannelUser, { kind, payload }: ChannelFrame): void {
    if (kind === CHANNEL_KIND.data) return user.onData(viewOf(payload))
    user.onText(readChannelText(payload))
    this.consumed(payload.length)
  }

  /** The next frame to send; undefined = nothing, or no credit. */
  nextFrame(): Uint8Array | undefined {
    if (this.#isOver) return undefined
    const forwarded = this.#forwarded.shift()
    if (forwarded !== undefined) {
      this.#isOver = forwarded[0] === CHANNEL_KIND.end
      return forwarded
    }
    if (this.#credit > 0) {
      const credit = Math.min(this.#credit, CHANNEL_WINDOW_BYTES)
      this.#credit -= credit
      return encodeCredit(this.id, credit)
    }
    const [first] = this.#queue
    if (first !== undefined) return this.#nextPiece(first)
    if (this.#end === undefined) return undefined
    this.#isOver = true
    return encodeChannelEnd(this.id, this.#end)
  }

  #nextPiece(first: Queued): Uint8Array | undefined {
    // A message is never split.
    const isWhole = first.kind === CHANNEL_KIND.text
    const size = isWhole
      ? first.bytes.length
      : Math.min(first.bytes.length, CHANNEL_CHUNK_BYTES, this.#sending.left)
    if (size === 0 || !this.#sending.take(size)) return undefined
    const payload = first.bytes.subarray(0, size)
    if (size === first.bytes.length) this.#queue.shift()
    else first.bytes = first.bytes.subarray(size)
    const wasFull = this.isFull
    this.#queuedBytes -= size
    if (wasFull && !this.isFull) queueMicrotask(() => this.#isOver || this.#user?.onDrain())
    return encodeChannelFrame({ kind: first.kind, channel: this.id, payload })
  }

  #push(piece: Queued): void {
    if (this.#isOver || this.#end !== undefined || piece.bytes.length === 0) return
    this.#queue.push(piece)
    this.#queuedBytes += piece.bytes.length
    this.#wake()
  }
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

const OVER_WINDOW: ChannelEnd = {
  code: 'over_window',
  message: 'The channel received more than its window allows.',
}
