import {
  CHANNEL_KIND,
  type ChannelEnd,
  decodeChannelFrame,
  encodeChannelEnd,
  readChannelEnd,
} from '@muster/contract/agent/channel'
import type { Bus, Unsubscribe } from '../bus/bus.ts'
import type { ChannelEar, ChannelMouth } from './link-channels.ts'

const BEAT_MS = 2000
const DEAD_AFTER_MS = 7000
const BEAT = new Uint8Array(0)
const LOST: ChannelEnd = { code: 'link_lost', message: 'The connection between two servers was lost.' }

/**
 * Channels whose person is at one server process and whose machine at another. Frames travel over the bus as they are;
 * each end shows the other that it lives, and takes it for dead after seven seconds of silence.
 */
export class BusChannels implements Disposable {
  #bus: Bus
  #ends = new Set<BusEnd>()

  constructor(bus: Bus) {
    this.#bus = bus
    // What was said meanwhile is lost, and a stream with a hole in it is of no use.
    bus.onReconnect(() => this.#dropAll())
  }

  get size(): number {
    return this.#ends.size
  }

  /** One end of the channel `id`. `side` says which: the person's or the machine's. */
  async open(id: string, side: 'person' | 'machine', ear: ChannelEar): Promise<ChannelMouth> {
    const [hear, say] = side === 'person' ? ['up', 'down'] : ['down', 'up']
    const end = new BusEnd(this.#bus, `channel.${id}.${say}`, ear, () => this.#ends.delete(end))
    this.#ends.add(end)
    end.unsubscribe = await this.#bus.subscribeBytes(`channel.${id}.${hear}`, (bytes) => end.take(bytes))
    return end
  }

  [Symbol.dispose](): void {
    for (const end of this.#ends) end.end({ code: 'server_stopping', message: 'The server stops.' })
  }

  #dropAll(): void {
    for (const end of this.#ends) end.drop(LOST)
  }
}

class BusEnd implements ChannelMouth {
  unsubscribe: Unsubscribe | undefined
  #bus: Bus
  #subject: string
  #ear: ChannelEar
  #forget: () => void
  #isOver = false
  #heardMs = performance.now()
  #timer: NodeJS.Timeout

  constructor(bus: Bus, subject: string, ear: ChannelEar, forget: () => void) {
    this.#bus = bus
    this.#subject = subject
    this.#ear = ear
    this.#forget = forget
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

  /** The other end is gone. */
  drop(end: ChannelEnd): void {
    if (this.#isOver) return
    this.#stop()
    this.#ear.onEnd(end)
  }

  take(bytes: Uint8Array): void {
    this.#heardMs = performance.now()
    if (this.#isOver || bytes.length === 0) return
    const frame = decodeChannelFrame(bytes)
    if (!('wrong' in frame) && frame.kind === CHANNEL_KIND.end) this.drop(readChannelEnd(frame.payload))
    else this.#ear.onFrame(bytes)
  }

  #beat(): void {
    if (performance.now() - this.#heardMs > DEAD_AFTER_MS) this.drop(LOST)
    else this.send(BEAT)
  }

  #stop(): void {
    this.#isOver = true
    clearInterval(this.#timer)
    this.#forget()
    void this.unsubscribe?.()
  }
}
