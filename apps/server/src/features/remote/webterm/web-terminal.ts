import {
  CHANNEL_CHUNK_BYTES,
  CHANNEL_KIND,
  type ChannelEnd,
  decodeChannelFrame,
  encodeChannelEnd,
  encodeChannelFrame,
  encodeChannelText,
  encodeCredit,
  isCounted,
  readChannelText,
  readCredit,
} from '@muster/contract/agent/channel'
import { CreditDebt, SendWindow } from '@muster/contract/agent/channel-flow'
import { CHANNEL_CLOSE, TerminalInput } from '@muster/contract/channels'
import type { WebSocket } from 'ws'
import type { LiveCaller } from '../../../platform/http/caller.ts'
import type { Recording } from '../recording.ts'
import { openShell, type Shell } from './open-shell.ts'

export interface WebTerminalOptions {
  socket: WebSocket
  caller: LiveCaller
  session: string
  host: string
  recording: Recording
  /** The shell has ended. Called once. */
  onOver: (exitCode: number | null, reason: string) => Promise<void>
}

/** A shell of the server and its window, which end together. */
export class WebTerminal {
  readonly caller: LiveCaller
  checkedAtMs = performance.now()
  #options: WebTerminalOptions
  #shell: Shell | undefined
  /** Flow control in both directions. */
  #toWindow = new SendWindow()
  #fromWindow = new SendWindow()
  #debt = new CreditDebt()
  #waiting: Buffer[] = []
  #exitCode: number | null = null
  #ended: Promise<void> | undefined

  constructor(options: WebTerminalOptions) {
    this.#options = options
    this.caller = options.caller
  }

  /** Throws if a shell cannot be started. */
  async start(size: { cols: number; rows: number }): Promise<void> {
    const { session, host } = this.#options
    const shell = await openShell(session, size, {
      onData: (bytes) => this.#show(bytes),
      onExit: (exitCode) => {
        this.#exitCode = exitCode
        this.#send(encodeChannelText(0, { type: 'exit', exit_code: exitCode }))
        void this.end({
          code: 'ended',
          message: exitCode === null ? 'A signal ended the shell.' : 'The shell has ended.',
        })
      },
    })
    this.#shell = shell
    // It was ended while its module was loaded.
    if (this.#ended !== undefined) return shell.end()
    const { program, user } = shell
    this.#send(encodeChannelText(0, { type: 'opened', session, shell: program, user, resumed: false, host }))
  }

  /** A frame of the window. */
  receive(bytes: Buffer): void {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame) return void this.end({ code: 'bad_frame', message: frame.wrong })
    const { kind, payload } = frame
    if (isCounted(kind) && !this.#fromWindow.take(payload.length)) return void this.end(OVER_WINDOW)
    this.#options.recording.fromPerson(bytes)
    switch (kind) {
      case CHANNEL_KIND.data:
        return this.#shell?.write(Buffer.from(payload), () => this.#consumed(payload.length))
      case CHANNEL_KIND.text: {
        const input = TerminalInput.safeParse(readChannelText(payload)).data
        if (input !== undefined && this.#ended === undefined) this.#shell?.resize(input)
        return this.#consumed(payload.length)
      }
      case CHANNEL_KIND.credit:
        if (!this.#toWindow.add(readCredit(payload))) return void this.end(OVER_WINDOW)
        return this.#push()
      case CHANNEL_KIND.end:
        return void this.end({ code: 'closed', message: 'The session was closed in the console.' })
    }
  }

  /** Notifies the window, and ends the shell with its processes. Resolves when none is left. */
  end(end: ChannelEnd): Promise<void> {
    this.#ended ??= this.#end(end)
    return this.#ended
  }

  async #end(end: ChannelEnd): Promise<void> {
    const { socket, recording, onOver } = this.#options
    this.#send(encodeChannelEnd(0, end))
    socket.close(CHANNEL_CLOSE.over, end.code)
    await this.#shell?.end()
    await recording.end()
    await onOver(this.#exitCode, end.message)
  }

  #show(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; from += CHANNEL_CHUNK_BYTES)
      this.#waiting.push(bytes.subarray(from, from + CHANNEL_CHUNK_BYTES))
    this.#push()
  }

  #push(): void {
    if (this.#ended !== undefined) return
    for (let [payload] = this.#waiting; payload !== undefined; [payload] = this.#waiting) {
      if (!this.#toWindow.take(payload.length)) return this.#shell?.pause()
      this.#waiting.shift()
      this.#send(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 0, payload }))
    }
    this.#shell?.resume()
  }

  #consumed(bytes: number): void {
    const credit = this.#debt.consume(bytes)
    if (credit === 0) return
    this.#fromWindow.add(credit)
    this.#send(encodeCredit(0, credit))
  }

  #send(frame: Uint8Array): void {
    this.#options.recording.fromMachine(frame)
    const { socket } = this.#options
    if (socket.readyState === socket.OPEN) socket.send(frame)
  }
}

const OVER_WINDOW: ChannelEnd = {
  code: 'over_window',
  message: 'The window sent more data than its credit allows.',
}
