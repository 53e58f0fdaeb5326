import { SecretFilter } from '@muster/rules/text/hide-secrets'

/** Keeps the last characters of a text that comes in bytes, however much comes. */
export class TailText {
  #decoder = new TextDecoder()
  #text = ''
  #limit: number
  #filter: SecretFilter

  /** Secrets are hidden, also in what `take` and `end` answer. */
  constructor(limit: number, secrets: readonly string[] = []) {
    this.#limit = limit
    this.#filter = new SecretFilter(secrets)
  }

  /** Takes bytes, and answers their text; a character that is not whole yet comes with the next ones. */
  take(bytes: Buffer): string {
    const text = this.#filter.take(this.#decoder.decode(bytes, { stream: true }))
    this.#text += text
    if (this.#text.length > 4 * this.#limit) this.#text = this.#text.slice(-this.#limit)
    return text
  }

  /** Nothing more comes: answers what was held back until now. */
  end(): string {
    const rest = this.#filter.take(this.#decoder.decode()) + this.#filter.end()
    this.#text += rest
    return rest
  }

  get text(): string {
    return this.#text.slice(-this.#limit)
  }
}
