/**
 * Cuts a text that comes in chunks at each `end`. A piece longer than `maxLength` loses what is beyond: whoever writes
 * into a log must not be able to fill the memory of its reader.
 */
export class TextPieces {
  #end: string
  #maxLength: number
  /** The piece that has begun, once it is too long. */
  #cut: string | undefined
  /** The piece that has begun; of one that is too long only what may be the start of its end. */
  #rest = ''

  constructor(options: { end: string; maxLength: number }) {
    this.#end = options.end
    this.#maxLength = options.maxLength
  }

  take(text: string): string[] {
    const pieces = (this.#rest + text).split(this.#end)
    const rest = pieces.pop() ?? ''
    if (pieces.length > 0 && this.#cut !== undefined) {
      pieces[0] = this.#cut
      this.#cut = undefined
    }
    if (rest.length > this.#maxLength) this.#cut ??= rest.slice(0, this.#maxLength)
    this.#rest = this.#cut === undefined ? rest : rest.slice(-this.#end.length)
    return pieces.map((piece) => piece.slice(0, this.#maxLength))
  }
}
