import { CHANNEL_KIND, decodeChannelFrame } from '@muster/contract/agent/channel'
import type { ScreenEvent } from '@muster/contract/api/remote'
import type { SealedFile } from '../../platform/files/sealed-file.ts'
import { type RecordingEnd, RecordingWriter } from './recording-writer.ts'
import type { WindowRecording } from './recording.ts'
import { RfbGuard } from './rfb-guard.ts'

const SCREEN_EVENT = {
  /** Bytes of the VNC server. */
  stream: 0,
  /** Position of the pointer: two numbers of two bytes. */
  pointer: 1,
} as const
type ScreenEventKind = (typeof SCREEN_EVENT)[keyof typeof SCREEN_EVENT]

const HEAD_BYTES = 9

/** One byte for the type, four for milliseconds since the window opened, four for the length. */
function writeEventHead({ kind, ms, length }: { kind: ScreenEventKind; ms: number; length: number }): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES)
  head[0] = kind
  head.writeUInt32BE(ms, 1)
  head.writeUInt32BE(length, 5)
  return head
}

/** The events of a piece, as sent to the console. */
export function readScreenEvents(piece: Buffer): ScreenEvent[] {
  const events: ScreenEvent[] = []
  for (let at = 0; at + HEAD_BYTES <= piece.length;) {
    const ms = piece.readUInt32BE(at + 1)
    const from = at + HEAD_BYTES
    const to = from + piece.readUInt32BE(at + 5)
    if (piece[at] === SCREEN_EVENT.stream) events.push([ms, 's', piece.toString('base64', from, to)])
    else if (to - from === 4)
      events.push([ms, 'p', `${piece.readUInt16BE(from)},${piece.readUInt16BE(from + 2)}`])
    at = to
  }
  return events
}

const VERSION_BYTES = 12
/** No handshake with a known authentication method is longer. */
const MAX_BYTES = VERSION_BYTES + 1 + 16
const CHALLENGE_BYTES: Record<number, number> = { 1: 0, 2: 16 }

/**
 * Reads both sides of the VNC (RFB) handshake, so that the recording starts after authentication, at the server's
 * ServerInit. After that it verifies that the window requests pictures in the format of the player.
 */
class RfbHandshake {
  #person = Buffer.alloc(0)
  #machine = Buffer.alloc(0)
  #isInitialised = false
  #guard: RfbGuard

  /** `onPointer`: position of the pointer, two numbers of two bytes. */
  constructor(onPointer: (position: Uint8Array) => void) {
    this.#guard = new RfbGuard(onPointer)
  }

  /** Data of the machine is recorded from here on. */
  get isInitialised(): boolean {
    return this.#isInitialised
  }

  /** Data of the machine before initialisation. */
  takeFromMachine(bytes: Uint8Array): void {
    // The authentication method chosen by a server of version 3.3.
    const wanted = VERSION_BYTES + 4 - this.#machine.length
    if (wanted > 0) this.#machine = Buffer.concat([this.#machine, bytes.subarray(0, wanted)])
  }

  /** Data of the user. Returns why it cannot be recorded, or undefined. */
  takeFromPerson(bytes: Uint8Array): string | undefined {
    if (this.#isInitialised) return this.#guard.take(bytes)
    this.#person = Buffer.concat([this.#person, bytes])
    if (this.#person.length < VERSION_BYTES) return undefined
    const isOld = this.#person.toString('latin1', 0, VERSION_BYTES) === 'RFB 003.003\n'
    const choiceAt = VERSION_BYTES
    const choice = isOld ? this.#readOldChoice() : this.#person[choiceAt]
    if (choice === undefined) return this.#person.length > MAX_BYTES ? SIGN_IN : undefined
    const answer = CHALLENGE_BYTES[choice]
    if (answer === undefined) return SIGN_IN
    const initAt = choiceAt + (isOld ? 0 : 1) + answer
    if (this.#person.length <= initAt) return undefined
    this.#isInitialised = true
    return this.#guard.take(this.#person.subarray(initAt + 1))
  }

  #readOldChoice(): number | undefined {
    return this.#machine.length < VERSION_BYTES + 4 ? undefined : this.#machine.readUInt32BE(VERSION_BYTES)
  }
}

const SIGN_IN =
  'This session must be recorded, and the authentication method of the VNC server is not supported: only none and VNC passwords are.'

const PIECE_BYTES = 256 * 1024

export interface ScreenRecordingOptions {
  file: SealedFile
  mostBytes: number
  onEnd: (end: RecordingEnd) => Promise<void>
  onError: (error: unknown) => void
  /** Called with a sentence when the session cannot be recorded. */
  onUnfit: (message: string) => void
}

/**
 * The stream sent to one window on a desktop: VNC from ServerInit on, with times and pointer positions. Keys and
 * credentials are not recorded. Frames are kept by reference, and copied when a piece is written.
 */
export class ScreenRecording implements WindowRecording {
  #options: ScreenRecordingOptions
  #writer: RecordingWriter<readonly [head: Uint8Array, bytes: Uint8Array]>
  #handshake = new RfbHandshake((position) => this.#note(SCREEN_EVENT.pointer, position))
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
