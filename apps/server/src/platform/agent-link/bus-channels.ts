import {
  CHANNEL_KIND,
  type ChannelEnd,
  decodeChannelFrame,
  encodeChannelEnd,
  readChannelEnd,
} from '@muster/contract/agent/channel'
import type { Bus, Unsubscribe } from '../bus/bus.ts'
import type { ChannelReader, ChannelWriter } from './link-channels.ts'

const BEAT_MS = 2000
const DEAD_AFTER_MS = 7000
const BEAT = new Uint8Array(0)
const LOST: ChannelEnd = { code: 'link_lost', message: 'The connection between two servers was lost.' }

/**
 * Channels between a user at one server process and an agent at another. Frames travel over the bus unchanged. Both
 * ends send heartbeats and treat the other as dead after seven seconds of silence.
 */
export class BusChannels implements Disposable {
  #bus: Bus
  #ends = new Set<BusEnd>()

  constructor(bus: Bus) {
    this.#bus = bus
    // Messages were lost during the outage, and a stream with gaps is useless.
    bus.onReconnect(() => this.#dropAll())
  }

  get size(): number {
    return this.#ends.size
  }

  /** Opens one end of the channel `id`. `side` is the user's or the agent's end. */
  async open(id: string, side: 'person' | 'machine', channelReader: ChannelReader): Promise<ChannelWriter> {
    const [incoming, outgoing] = side === 'person' ? ['up', 'down'] : ['down', 'up']
    const end = new BusEnd(this.#bus, `channel.${id}.${outgoing}`, channelReader, () =>
      this.#ends.delete(end),
    )
    this.#ends.add(end)
    end.unsubscribe = await this.#bus.subscribeBytes(`channel.${id}.${incoming}`, (bytes) => end.take(bytes))
    return end
  }

  [Symbol.dispose](): void {
    for (const end of this.#ends) end.end({ code: 'server_stopping', message: 'The server stops.' })
  }

  #dropAll(): void {
    for (const end of this.#ends) end.drop(LOST)
  }
}

class BusEnd implements ChannelWriter {
  unsubscribe: Unsubscribe | undefined
  #bus: Bus
  #subject: string
  #channelReader: ChannelReader
  #onOver: () => void
  #isOver = false
  #receivedMs = performance.now()
  #timer: NodeJS.Timeout

  constructor(bus: Bus, subject: string, channelReader: ChannelReader, onOver: () => void) {
    this.#bus = bus
    this.#subject = subject
    this.#channelReader = channelReader
    this.#onOver = onOver
    this.#timer = setInterval(() => this.#beat(), BEAT_MS)
  }

  send(frame: Uint8Array): void {
    if (!this.#isOver) this.#bus.publishBytes(this.#subject, frame)
  }

  end(end: ChannelEnd): void {
    if (this.#isOver) return
    this.send(encodeChannelEnd(0, end))
    this.#stop()
  }

  /** The other end no longer exists. */
  drop(end: ChannelEnd): void {
    if (this.#isOver) return
    this.#stop()
    this.#channelReader.onEnd(end)
  }

  take(bytes: Uint8Array): void {
    this.#receivedMs = performance.now()
    if (this.#isOver || bytes.length === 0) return
    const frame = decodeChannelFrame(bytes)
    if (!('wrong' in frame) && frame.kind === CHANNEL_KIND.end) this.drop(readChannelEnd(frame.payload))
    else this.#channelReader.onFrame(bytes)
  }

  #beat(): void {
    if (performance.now() - this.#receivedMs > DEAD_AFTER_MS) this.drop(LOST)
    else this.send(BEAT)
  }

  #stop(): void {
    this.#isOver = true
    clearInterval(this.#timer)
    this.#onOver()
    void this.unsubscribe?.()
  }
}
