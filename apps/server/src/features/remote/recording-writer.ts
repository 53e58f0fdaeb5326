/** A disk that is so far behind does not keep up. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024
const WRITE_EVERY_MS = 1000

export interface RecordingEnd {
  bytes: number
  milliseconds: number
  /** Why it is not whole; null = it is. */
  problem: string | null
}

interface WriterOptions<Part> {
  /** Written when it is so large, or a second old. */
  pieceSize: number
  /** Of all parts; the recording ends there. */
  mostSize: number
  write: (parts: Part[]) => Promise<void>
  onError: (error: unknown) => void
}

/** Gathers what is recorded to pieces, and writes them one after the other while what is recorded goes on. */
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

  /** Why it is not whole; null = it is so far. */
  get problem(): string | null {
    return this.#problem
  }

  /** False = it is not taken, and nothing after it is: `problem` says why. */
  add(part: Part, size: number): boolean {
    if (this.#problem !== null) return false
    if (size > this.#left) this.#problem = 'It reached its largest size.'
    else if (this.#waiting > MOST_WAITING_BYTES) this.#problem = 'The disk of the server did not keep up.'
    if (this.#problem !== null) return false
    this.#left -= size
    this.addLast(part, size)
    return true
  }

  /** What is written whatever has happened before, such as a remark. */
  addLast(part: Part, size: number): void {
    this.#parts.push(part)
    this.#size += size
    if (this.#size >= this.#options.pieceSize) return this.#write()
    this.#timer ??= setTimeout(() => this.#write(), WRITE_EVERY_MS)
  }

  /** Nothing is taken from now on. */
  stop(problem: string): void {
    this.#problem ??= problem
  }

  /** Writes what is left. */
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
        // What lies behind a piece that was not written whole cannot be read.
        if (!this.#isBroken) await this.#options.write(parts)
      } catch (error) {
        this.#isBroken = true
        this.#problem ??= 'The server could not write it: its disk may be full.'
        this.#options.onError(error)
      }
      this.#waiting -= size
    })
  }
}
