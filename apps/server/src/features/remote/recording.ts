import { CHANNEL_KIND, decodeChannelFrame, readChannelText } from '@muster/contract/agent/channel'
import { TerminalInput, TerminalNews } from '@muster/contract/channels'
import type { SealedFile } from '../../platform/files/sealed-file.ts'

const PIECE_CHARACTERS = 64 * 1024
const WRITE_EVERY_MS = 1000
/** A disk that is so far behind does not keep up. */
const MOST_WAITING_CHARACTERS = 16 * 1024 * 1024

export interface RecordingEnd {
  bytes: number
  milliseconds: number
  /** Why it is not whole; null = it is. */
  problem: string | null
}

export interface RecordingOptions {
  file: SealedFile
  size: { cols: number; rows: number }
  startedAt: Date
  mostCharacters: number
  onEnd: (end: RecordingEnd) => Promise<void>
  onError: (error: unknown) => void
}

/** What one window on a terminal showed, as asciicast (version 2). Keys are not recorded: they may be passwords. */
export class Recording {
  #options: RecordingOptions
  #decoder = new TextDecoder()
  #startMs = performance.now()
  #lastMs = 0
  #left: number
  #lines: string[] = []
  #characters = 0
  #waiting = 0
  #writing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #problem: string | null = null
  #isOver = false

  constructor(options: RecordingOptions) {
    this.#options = options
    this.#left = options.mostCharacters
    const { cols, rows } = options.size
    const timestamp = Math.floor(options.startedAt.getTime() / 1000)
    this.#push(JSON.stringify({ version: 2, width: cols, height: rows, timestamp }))
  }

  /** A frame on its way to the window. */
  fromMachine(bytes: Uint8Array): void {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame) return
    if (frame.kind === CHANNEL_KIND.data) {
      this.#note('o', this.#decoder.decode(frame.payload, { stream: true }))
    } else if (frame.kind === CHANNEL_KIND.text) {
      const news = TerminalNews.safeParse(readChannelText(frame.payload)).data
      // What it showed last comes again; the window begins with an empty screen.
      if (news?.type === 'opened' && news.resumed) this.#note('o', '\u001bc')
      if (news?.type === 'exit') this.#note('m', `exit ${news.exit_code ?? 'by a signal'}`)
    }
  }

  /** A frame on its way to the machine. */
  fromPerson(bytes: Uint8Array): void {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame || frame.kind !== CHANNEL_KIND.text) return
    const input = TerminalInput.safeParse(readChannelText(frame.payload)).data
    if (input !== undefined) this.#note('r', `${input.cols}x${input.rows}`)
  }

  /** Writes what is left; nothing is taken afterwards. */
  async end(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    this.#write()
    await this.#writing
    const { file, onEnd } = this.#options
    await file[Symbol.asyncDispose]()
    await onEnd({ bytes: file.bytes, milliseconds: Math.round(this.#lastMs), problem: this.#problem })
  }

  #note(kind: 'o' | 'r' | 'm', text: string): void {
    if (this.#isOver || this.#problem !== null || text === '') return
    this.#lastMs = performance.now() - this.#startMs
    const line = JSON.stringify([Number((this.#lastMs / 1000).toFixed(3)), kind, text])
    if (line.length > this.#left) return this.#stop('It reached its largest size.')
    if (this.#waiting > MOST_WAITING_CHARACTERS) return this.#stop('The disk of the server did not keep up.')
    this.#left -= line.length
    this.#push(line)
  }

  #stop(problem: string): void {
    this.#problem = problem
    this.#push(JSON.stringify([Number((this.#lastMs / 1000).toFixed(3)), 'm', problem]))
  }

  #push(line: string): void {
    this.#lines.push(line)
    this.#characters += line.length
    if (this.#characters >= PIECE_CHARACTERS) return this.#write()
    this.#timer ??= setTimeout(() => this.#write(), WRITE_EVERY_MS)
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#lines.length === 0) return
    const piece = `${this.#lines.join('\n')}\n`
    this.#lines = []
    this.#characters = 0
    this.#waiting += piece.length
    this.#writing = this.#writing.then(async () => {
      try {
        await this.#options.file.append(piece)
      } catch (error) {
        this.#problem ??= 'The server could not write it: its disk may be full.'
        this.#options.onError(error)
      }
      this.#waiting -= piece.length
    })
  }
}
