import { type ChannelEnd, encodeChannelEnd } from '@muster/contract/agent/channel'
import { CHANNEL_CLOSE, type LogRequest, type ToolRequest } from '@muster/contract/channels'
import type { WebSocket } from 'ws'
import type { ChannelWriter } from '../../platform/agent-link/link-channels.ts'
import type { LiveCaller } from '../../platform/http/caller.ts'

/** A user's window on a tool. Frames pass unchanged, and an end is passed to both sides. */
export class ChannelSocket {
  caller: LiveCaller
  readonly agentId: string
  readonly request: ToolRequest | LogRequest
  /** Null for read-only views. */
  readonly session: string | null
  checkedAtMs = performance.now()
  /** Called once, on the first end of any kind. */
  onOver: () => void = () => {}
  #socket: WebSocket
  #writer: ChannelWriter | undefined
  /** Reading is paused while the channel opens. These frames were already in transit. */
  #early: Uint8Array[] = []
  #isOver = false

  constructor(
    socket: WebSocket,
    given: { caller: LiveCaller; agentId: string; request: ToolRequest | LogRequest; session: string | null },
  ) {
    this.#socket = socket
    this.caller = given.caller
    this.agentId = given.agentId
    this.request = given.request
    this.session = given.session
  }

  /** The channel is open. */
  connect(writer: ChannelWriter): void {
    this.#writer = writer
    if (this.#isOver) return writer.end(GONE)
    for (const frame of this.#early) writer.send(frame)
    this.#early = []
  }

  /** A frame from the machine. */
  sendToUser(frame: Uint8Array): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(frame)
  }

  /** A frame from the user. */
  receive(frame: Buffer): void {
    if (this.#isOver) return
    if (this.#writer !== undefined) return this.#writer.send(frame)
    this.#early.push(frame)
  }

  /** Ends both sides. */
  end(end: ChannelEnd): void {
    this.#writer?.end(end)
    this.endHere(end)
  }

  /** The machine's side ended. */
  endHere(end: ChannelEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.sendToUser(encodeChannelEnd(0, end))
    this.#socket.close(CHANNEL_CLOSE.over, end.code)
    this.onOver()
  }

  /** The window closed. Its tool may wait for another one. */
  gone(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#writer?.end(GONE)
    this.onOver()
  }
}

const GONE: ChannelEnd = { code: 'detached', message: 'The window was closed or lost its connection.' }
