/** Keeps the last characters of a text that comes in bytes, however much comes. */
export class TailText {
  #decoder = new TextDecoder()
  #text = ''
  #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes bytes, and answers their text; a character that is not whole yet comes with the next ones. */
  take(bytes: Buffer): string {
    const text = this.#decoder.decode(bytes, { stream: true })
    this.#text += text
    if (this.#text.length > 4 * this.#limit) this.#text = this.#text.slice(-this.#limit)
    return text
  }

  end(): string {
    this.#text += this.#decoder.decode()
    return this.#text.slice(-this.#limit)
  }
}
