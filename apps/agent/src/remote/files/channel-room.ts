import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { Channel } from '../channels/channel.ts'

/** The sending side of a channel: waits for room, and detects when the reader has left. */
export class ChannelRoom {
  readonly channel: Channel
  /** Aborted when the other side has ended the channel. */
  readonly gone: AbortSignal
  #drained: (() => void) | undefined

  constructor(channel: Channel) {
    this.channel = channel
    const gone = new AbortController()
    this.gone = gone.signal
    const wake = () => this.#drained?.()
    channel.use({
      onData: (bytes) => channel.consumed(bytes.length),
      onText: () => undefined,
      onDrain: wake,
      onEnd: (end: ChannelEnd) => {
        gone.abort(new Error(end.message))
        wake()
      },
    })
    if (channel.isOver) gone.abort(new Error('The channel was closed.'))
  }

  /** Sends a message when there is room, in order with the bytes. Throws if the reader has left. */
  async sendMessage(message: unknown): Promise<void> {
    await this.#ready()
    this.channel.sendText(message)
  }

  /** Sends bytes when there is room. Throws if the reader has left. */
  async send(bytes: Uint8Array): Promise<void> {
    await this.#ready()
    this.channel.sendData(bytes)
  }

  async #ready(): Promise<void> {
    while (this.channel.isFull && !this.gone.aborted)
      await new Promise<void>((resolve) => (this.#drained = resolve))
    this.gone.throwIfAborted()
  }
}
