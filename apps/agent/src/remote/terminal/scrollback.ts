const BLOCK_BYTES = 16 * 1024
const MOST_BLOCKS = 16
const TO_ALTERNATE = '\u001b[?1049h'
const FROM_ALTERNATE = '\u001b[?1049l'

/** The last 256 KiB that a terminal wrote, for a window that comes back. */
export class Scrollback {
  #blocks: Buffer[] = []
  #filled = 0
  #dropped = false
  /** Whether what was dropped left the terminal on its other screen, as vim and top do. */
  #isAlternate = false

  add(bytes: Buffer): void {
    for (let from = 0; from < bytes.length;) {
      const last = this.#blocks.at(-1)
      if (last === undefined || this.#filled === BLOCK_BYTES) {
        this.#blocks.push(Buffer.allocUnsafe(BLOCK_BYTES))
        this.#filled = 0
        if (this.#blocks.length > MOST_BLOCKS) this.#drop(this.#blocks.shift())
        continue
      }
      const copied = bytes.copy(last, this.#filled, from)
      this.#filled += copied
      from += copied
    }
  }

  /** From the beginning of a line on, where something is lacking before it. */
  read(): Buffer {
    const last = this.#blocks.at(-1)
    if (last === undefined) return Buffer.alloc(0)
    const whole = Buffer.concat([...this.#blocks.slice(0, -1), last.subarray(0, this.#filled)])
    if (!this.#dropped) return whole
    const screen = Buffer.from(this.#isAlternate ? TO_ALTERNATE : '')
    return Buffer.concat([screen, whole.subarray(whole.indexOf('\n') + 1)])
  }

  #drop(block: Buffer | undefined): void {
    if (block === undefined) return
    this.#dropped = true
    const [there, back] = [block.lastIndexOf(TO_ALTERNATE), block.lastIndexOf(FROM_ALTERNATE)]
    if (there !== back) this.#isAlternate = there > back
  }
}
