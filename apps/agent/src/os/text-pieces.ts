/**
 * Splits a stream of text at each `end`. A piece longer than `maxLength` is cut, so that a log writer cannot fill
 * the memory of its reader.
 */
export class TextPieces {
  #end: string
  #maxLength: number
  /** The current piece is too long. */
  #cut: string | undefined
  /** The current piece. If it is too long, only the possible start of its end is kept. */
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
