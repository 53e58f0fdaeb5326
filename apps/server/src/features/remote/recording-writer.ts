/** A disk this far behind is too slow. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024
const WRITE_EVERY_MS = 1000

export interface RecordingEnd {
  bytes: number
  milliseconds: number
  /** Why it is incomplete. Null = complete. */
  problem: string | null
}

interface WriterOptions<Part> {
  /** A piece is written when it has this size, or after a second. */
  pieceSize: number
  /** Limit of all parts. The recording ends there. */
  mostSize: number
  write: (parts: Part[]) => Promise<void>
  onError: (error: unknown) => void
}

/** Collects recorded data into pieces, and writes them one after the other while recording continues. */
export class RecordingWriter<Part> {
  #options: WriterOptions<Part>
  #parts: Part[] = []
  #size = 0
  #left: number
  #waiting = 0
  #writing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #problem: string | null = null
  #isBroken = false

  constructor(options: WriterOptions<Part>) {
    this.#options = options
    this.#left = options.mostSize
  }

  /** Why it is incomplete. Null = complete so far. */
  get problem(): string | null {
    return this.#problem
  }

  /** Returns false if the part was dropped, like all later ones. `problem` has the reason. */
  add(part: Part, size: number): boolean {
    if (this.#problem !== null) return false
    if (size > this.#left) this.#problem = 'The recording reached its maximum size.'
    else if (this.#waiting > MAX_WAITING_BYTES) this.#problem = 'The disk of the server was too slow.'
    if (this.#problem !== null) return false
    this.#left -= size
    this.addLast(part, size)
    return true
  }

  /** Writes a part whatever happened before, such as a remark. */
  addLast(part: Part, size: number): void {
    this.#parts.push(part)
    this.#size += size
    if (this.#size >= this.#options.pieceSize) return this.#write()
    this.#timer ??= setTimeout(() => this.#write(), WRITE_EVERY_MS)
  }

  /** Drops everything from here on. */
  stop(problem: string): void {
    this.#problem ??= problem
  }

  /** Writes the rest. */
  async end(): Promise<void> {
    this.#write()
    await this.#writing
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#parts.length === 0) return
    const [parts, size] = [this.#parts, this.#size]
    this.#parts = []
    this.#size = 0
    this.#waiting += size
    this.#writing = this.#writing.then(async () => {
      try {
        // Data after an incomplete piece cannot be read.
        if (!this.#isBroken) await this.#options.write(parts)
      } catch (error) {
        this.#isBroken = true
        this.#problem ??= 'The server could not write the recording. Its disk may be full.'
        this.#options.onError(error)
      }
      this.#waiting -= size
    })
  }
}
