import { CHANNEL_KIND, decodeChannelFrame } from '@muster/contract/agent/channel'
import type { SealedFile } from '../../platform/files/sealed-file.ts'
import { type RecordingEnd, RecordingWriter } from './recording-writer.ts'
import type { WindowRecording } from './recording.ts'
import { RfbHandshake } from './rfb-handshake.ts'
import { SCREEN_EVENT, type ScreenEventKind, writeEventHead } from './screen-events.ts'

const PIECE_BYTES = 256 * 1024

export interface ScreenRecordingOptions {
  file: SealedFile
  mostBytes: number
  onEnd: (end: RecordingEnd) => Promise<void>
  onError: (error: unknown) => void
  /** What the window does cannot be recorded, as a sentence. */
  onUnfit: (message: string) => void
}

/**
 * What one window on a desktop was sent: the stream of VNC from ServerInit on, with times, and where its pointer was.
 * Keys and what is signed in with are not recorded. Frames are kept as they came, and copied when a piece is written.
 */
export class ScreenRecording implements WindowRecording {
  #options: ScreenRecordingOptions
  #writer: RecordingWriter<readonly [head: Uint8Array, bytes: Uint8Array]>
  #handshake = new RfbHandshake((place) => this.#note(SCREEN_EVENT.pointer, place))
  #startMs = performance.now()
  #lastMs = 0
  #isOver = false

  constructor(options: ScreenRecordingOptions) {
    this.#options = options
    this.#writer = new RecordingWriter({
      pieceSize: PIECE_BYTES,
      mostSize: options.mostBytes,
      write: (parts) => options.file.appendBytes(Buffer.concat(parts.flat())),
      onError: options.onError,
    })
  }

  fromMachine(bytes: Uint8Array): void {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame || frame.kind !== CHANNEL_KIND.data) return
    if (this.#handshake.isInitialised) this.#note(SCREEN_EVENT.stream, frame.payload)
    else this.#handshake.takeFromMachine(frame.payload)
  }

  fromPerson(bytes: Uint8Array): void {
    const frame = decodeChannelFrame(bytes)
    if (this.#isOver || 'wrong' in frame || frame.kind !== CHANNEL_KIND.data) return
    const unfit = this.#handshake.takeFromPerson(frame.payload)
    if (unfit === undefined) return
    this.#writer.stop(unfit)
    this.#options.onUnfit(unfit)
  }

  async end(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    await this.#writer.end()
    const { file, onEnd } = this.#options
    await file[Symbol.asyncDispose]()
    await onEnd({
      bytes: file.bytes,
      milliseconds: Math.round(this.#lastMs),
      problem: this.#writer.problem,
    })
  }

  #note(kind: ScreenEventKind, bytes: Uint8Array): void {
    if (this.#isOver || this.#writer.problem !== null) return
    const ms = performance.now() - this.#startMs
    const head = writeEventHead({ kind, ms: Math.round(ms), length: bytes.length })
    if (this.#writer.add([head, bytes], head.length + bytes.length)) this.#lastMs = ms
  }
}
