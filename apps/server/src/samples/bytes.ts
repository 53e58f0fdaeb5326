const FIRST_LENGTH = 256
/** Above this a difference doubled by zigzag is not exact. */
export const MAX_EXACT = 2 ** 50

/** Varints: seven bits per byte, the highest bit marks that more follow. */
export class ByteWriter {
  #bytes = new Uint8Array(FIRST_LENGTH)
  #length = 0

  byte(value: number): void {
    if (this.#length === this.#bytes.length) {
      const longer = new Uint8Array(this.#bytes.length * 2)
      longer.set(this.#bytes)
      this.#bytes = longer
    }
    this.#bytes[this.#length] = value
    this.#length += 1
  }

  /** An integer from 0 to 2^53. */
  whole(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.byte((rest % 0x80) + 0x80)
      rest = Math.floor(rest / 0x80)
    }
    this.byte(rest)
  }

  /** A signed integer. Values near 0 are short. */
  signed(value: number): void {
    this.whole(value < 0 ? -2 * value - 1 : 2 * value)
  }

  take(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }
}

export class ByteReader {
  #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  byte(): number {
    const value = this.#bytes[this.#at]
    if (value === undefined) throw new Error('stored samples are truncated')
    this.#at += 1
    return value
  }

  whole(): number {
    let value = 0
    let unit = 1
    for (;;) {
      const byte = this.byte()
      if (byte < 0x80) return value + byte * unit
      value += (byte - 0x80) * unit
      unit *= 0x80
    }
  }

  signed(): number {
    const value = this.whole()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
}
