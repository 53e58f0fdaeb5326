import { makeVisible } from '@muster/rules/text/safe-text'

/** Maximum stored length of a line; a line may have a megabyte. */
const MAX_LINE_LENGTH = 4000
const MAX_CHARACTERS = 1_000_000
/** Lines are stored in pieces of about this size, so that old ones are cheap to drop. */
const PIECE_CHARACTERS = 16_384

export interface LogPiece {
  text: string
  /** A line of the log, or a remark about it. */
  isRemark: boolean
}

/** The last lines of a followed log: up to a million characters. */
export class LogLines {
  #decoder = new TextDecoder()
  #pieces: LogPiece[] = []
  #characters = 0
  #rest = ''
  #left = 0

  take(bytes: Uint8Array): void {
    const lines = this.#decoder.decode(bytes, { stream: true }).split('\n')
    const rest = lines.pop() ?? ''
    for (const [index, line] of lines.entries())
      this.#add(`${index === 0 ? this.#endLine(line) : cut(line, 0)}\n`, false)
    this.#begin(rest)
  }

  /** Adds a remark between the lines. */
  remark(text: string): void {
    if (this.#rest !== '') this.#add(`${this.#endLine('')}\n`, false)
    this.#add(`--- ${text} ---\n`, true)
  }

  clear(): void {
    this.#pieces = []
    this.#characters = 0
    this.#rest = ''
    this.#left = 0
    this.#decoder = new TextDecoder()
  }

  /** The current lines; later additions do not change them. */
  pieces(): readonly LogPiece[] {
    return this.#rest === ''
      ? [...this.#pieces]
      : [...this.#pieces, { text: this.#restText(), isRemark: false }]
  }

  #begin(text: string): void {
    const room = MAX_LINE_LENGTH - this.#rest.length
    this.#rest += text.slice(0, Math.max(0, room))
    this.#left += Math.max(0, text.length - Math.max(0, room))
  }

  #endLine(text: string): string {
    this.#begin(text)
    const line = this.#restText()
    this.#rest = ''
    this.#left = 0
    return line
  }

  #restText(): string {
    return cut(this.#rest, this.#left)
  }

  #add(text: string, isRemark: boolean): void {
    const last = this.#pieces.at(-1)
    if (last !== undefined && !isRemark && !last.isRemark && last.text.length < PIECE_CHARACTERS)
      this.#pieces[this.#pieces.length - 1] = { text: last.text + text, isRemark }
    else this.#pieces.push({ text, isRemark })
    this.#characters += text.length
    while (this.#characters > MAX_CHARACTERS && this.#pieces.length > 1)
      this.#characters -= this.#pieces.shift()?.text.length ?? 0
  }
}

/** The visible lines: all, or remarks and lines that contain the text, ignoring case. */
export function showPieces(
  pieces: readonly LogPiece[],
  search: string,
): { text: string; tone?: 'negative' }[] {
  const wanted = search.toLowerCase()
  return pieces.flatMap(({ text, isRemark }) => {
    if (isRemark) return [{ text, tone: 'negative' as const }]
    const found = wanted === '' ? text : keepLines(text, wanted)
    return found === '' ? [] : [{ text: found }]
  })
}

/** A line cut to its maximum length, with the number of omitted characters. */
function cut(line: string, left: number): string {
  const more = left + Math.max(0, line.length - MAX_LINE_LENGTH)
  const shown = makeVisible(line.replace(/\r$/, '').slice(0, MAX_LINE_LENGTH))
  return more === 0 ? shown : `${shown} ... (${more} characters more)`
}

function keepLines(text: string, wanted: string): string {
  const lines = text.split('\n').filter((line) => line.toLowerCase().includes(wanted))
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}
