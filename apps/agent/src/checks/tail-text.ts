import { SecretFilter } from '@muster/rules/text/hide-secrets'

/** Keeps only the last characters of a byte stream. */
export class TailText {
  #decoder = new TextDecoder()
  #text = ''
  #limit: number
  #filter: SecretFilter

  /** Secrets are hidden here and in the results of `take` and `end`. */
  constructor(limit: number, secrets: readonly string[] = []) {
    this.#limit = limit
    this.#filter = new SecretFilter(secrets)
  }

  /** Returns the decoded text. An incomplete character is returned with the next bytes. */
  take(bytes: Buffer): string {
    const text = this.#filter.take(this.#decoder.decode(bytes, { stream: true }))
    this.#text += text
    if (this.#text.length > 4 * this.#limit) this.#text = this.#text.slice(-this.#limit)
    return text
  }

  /** Returns the text that was held back. */
  end(): string {
    const rest = this.#filter.take(this.#decoder.decode()) + this.#filter.end()
    this.#text += rest
    return rest
  }

  get text(): string {
    return this.#text.slice(-this.#limit)
  }
}
