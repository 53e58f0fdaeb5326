/** Fetching is the first part of the way, unpacking and setting up the rest. */
const FETCHING = 0.3
const STEP = 5

/** Makes of what apt tells of its progress a line from time to time: `Progress: 45 %`. */
export class AptProgress {
  #say: (line: string) => void
  #rest = ''
  #told = 0

  constructor(say: (line: string) => void) {
    this.#say = say
  }

  /** Pieces of lines as apt writes them to its status descriptor: `pmstatus:tzdata:40.0000:Unpacking tzdata`. */
  take(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()?.slice(-1000) ?? ''
    for (const line of lines) {
      const [, kind, percent] = /^(dlstatus|pmstatus):(?:.*?):(\d{1,3}(?:\.\d+)?):/.exec(line) ?? []
      if (kind === undefined) continue
      const part = Math.min(100, Number(percent))
      this.#tell(kind === 'dlstatus' ? part * FETCHING : 100 * FETCHING + part * (1 - FETCHING))
    }
  }

  #tell(percent: number): void {
    const rounded = Math.floor(percent / STEP) * STEP
    if (rounded <= this.#told) return
    this.#told = rounded
    this.#say(`Progress: ${rounded} %`)
  }
}
