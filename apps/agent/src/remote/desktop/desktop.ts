import type { ChannelEnd } from '@muster/contract/agent/channel'
import { DesktopInput, type DesktopNews } from '@muster/contract/desktop'
import type { Socket } from 'node:net'
import type { Channel } from '../channels/channel.ts'

/** Passes bytes between a VNC server and the browser, no faster than either side accepts them. */
export class Desktop {
  #channel: Channel
  #onEnded: (reason: string) => Promise<void>
  /** Bytes from the browser before the server was connected. */
  #early: Buffer[] = []
  #socket: Socket | undefined
  #ended: Promise<void> | undefined
  #gone = new AbortController()

  /** `onEnded` ends the session's processes. It is awaited before the browser is notified. */
  constructor(channel: Channel, onEnded: (reason: string) => Promise<void>) {
    this.#channel = channel
    this.#onEnded = onEnded
    channel.use({
      onData: (bytes) => this.#take(bytes),
      onText: (message) => this.#obey(message),
      onDrain: () => this.#socket?.resume(),
      onEnd: ({ message }) => void this.end({ code: 'closed', message }),
    })
  }

  /** Aborted when the session ends. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  show(socket: Socket, opened: DesktopNews): void {
    if (this.#ended !== undefined) return void socket.destroy()
    this.#socket = socket
    socket.on('data', (bytes: Buffer) => {
      this.#channel.sendData(bytes)
      if (this.#channel.isFull) socket.pause()
    })
    socket.once(
      'error',
      ({ message }) => void this.end(ended(`The connection to the VNC server failed: ${message}`)),
    )
    socket.once('close', () => void this.end(ended('The VNC server closed the connection.')))
    this.#channel.sendText(opened)
    for (const bytes of this.#early.splice(0)) this.#take(bytes)
    // Its first bytes may have been read and put back.
    socket.resume()
  }

  end(end: ChannelEnd): Promise<void> {
    this.#ended ??= this.#end(end)
    return this.#ended
  }

  async #end(end: ChannelEnd): Promise<void> {
    this.#gone.abort(new Error(end.message))
    this.#socket?.destroy()
    await this.#onEnded(end.message)
    this.#channel.end(end)
  }

  #take(bytes: Buffer): void {
    if (this.#socket === undefined) this.#early.push(bytes)
    else this.#socket.write(bytes, () => this.#channel.consumed(bytes.length))
  }

  #obey(message: unknown): void {
    const input = DesktopInput.safeParse(message)
    if (!input.success || this.#ended !== undefined) return
    this.#channel.sendNewest({ type: 'pong', number: input.data.number } satisfies DesktopNews)
  }
}

const ended = (message: string): ChannelEnd => ({ code: 'ended', message: message.slice(0, 500) })
