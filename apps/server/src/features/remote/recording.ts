import { CHANNEL_KIND, decodeChannelFrame, readChannelText } from '@muster/contract/agent/channel'
import { TerminalInput, TerminalNews } from '@muster/contract/channels'
import type { SealedFile } from '../../platform/files/sealed-file.ts'
import { type RecordingEnd, RecordingWriter } from './recording-writer.ts'

const PIECE_CHARACTERS = 64 * 1024

/** Records the traffic of a window to a file. */
export interface WindowRecording {
  /** A frame to the window. */
  fromMachine: (bytes: Uint8Array) => void
  /** A frame to the machine. */
  fromPerson: (bytes: Uint8Array) => void
  /** Writes the rest and drops everything afterwards. */
  end: () => Promise<void>
}

export interface RecordingOptions {
  file: SealedFile
  size: { cols: number; rows: number }
  startedAt: Date
  mostCharacters: number
  onEnd: (end: RecordingEnd) => Promise<void>
  onError: (error: unknown) => void
}

/**
 * The output of one window on a terminal, as asciicast (version 2). Keys are not recorded, because they may be
 * passwords.
 */
export class Recording implements WindowRecording {
  #options: RecordingOptions
  #decoder = new TextDecoder()
  #startMs = performance.now()
  #lastMs = 0
  #writer: RecordingWriter<string>
  #isOver = false

  constructor(options: RecordingOptions) {
    const { file, mostCharacters, onError } = options
    this.#options = options
    this.#writer = new RecordingWriter({
      pieceSize: PIECE_CHARACTERS,
      mostSize: mostCharacters,
      write: (lines) => file.append(`${lines.join('\n')}\n`),
      onError,
    })
    const { cols, rows } = options.size
    const timestamp = Math.floor(options.startedAt.getTime() / 1000)
    const header = JSON.stringify({ version: 2, width: cols, height: rows, timestamp })
    this.#writer.addLast(header, header.length)
  }

  /** A frame to the window. */
  fromMachine(bytes: Uint8Array): void {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame) return
    if (frame.kind === CHANNEL_KIND.data) {
      this.#note('o', this.#decoder.decode(frame.payload, { stream: true }))
    } else if (frame.kind === CHANNEL_KIND.text) {
      const news = TerminalNews.safeParse(readChannelText(frame.payload)).data
      // The last screen is sent again, so the recording starts with an empty one.
      if (news?.type === 'opened' && news.resumed) this.#note('o', '\u001bc')
      if (news?.type === 'size') this.#note('r', `${news.cols}x${news.rows}`)
      if (news?.type === 'exit') this.#note('m', `exit ${news.exit_code ?? 'by a signal'}`)
    }
  }

  /** A frame to the machine. */
  fromPerson(bytes: Uint8Array): void {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame || frame.kind !== CHANNEL_KIND.text) return
    const input = TerminalInput.safeParse(readChannelText(frame.payload)).data
    if (input !== undefined) this.#note('r', `${input.cols}x${input.rows}`)
  }

  /** Writes the rest and drops everything afterwards. */
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

  #note(kind: 'o' | 'r' | 'm', text: string): void {
    if (this.#isOver || this.#writer.problem !== null || text === '') return
    this.#lastMs = performance.now() - this.#startMs
    const line = this.#lineOf(kind, text)
    if (this.#writer.add(line, line.length)) return
    const remark = this.#lineOf('m', this.#writer.problem ?? '')
    this.#writer.addLast(remark, remark.length)
  }

  #lineOf(kind: 'o' | 'r' | 'm', text: string): string {
    return JSON.stringify([Number((this.#lastMs / 1000).toFixed(3)), kind, text])
  }
}
