import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { Channel } from '../channels/channel.ts'

/** A channel that is only written to: waits for room in it, and knows when nobody reads any more. */
export class ChannelRoom {
  readonly channel: Channel
  /** Aborted when the other side has ended it. */
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

  /** Says something when there is room for it, in turn with the bytes; throws when nobody listens any more. */
  async tell(message: unknown): Promise<void> {
    await this.#ready()
    this.channel.sendText(message)
  }

  /** Sends bytes when there is room for them; throws when nobody reads any more. */
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
