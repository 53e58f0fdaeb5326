/** Longest line of `leftOutLine`. */
export const MAX_LEFT_OUT_CHARACTERS = 48

/** The line that stands for the middle of a long output, between its first and its last part. */
export function leftOutLine(first: string, amount: string): string {
  return `${first === '' || first.endsWith('\n') ? '' : '\n'}[${amount} left out here]\n`
}

const LEFT_OUT = /^\[[^[\]\n]{1,30} left out here\]$/m

/** Whether a part of this output was left out. Output may also just look like it. */
export function hasLeftOut(output: string): boolean {
  return LEFT_OUT.test(output)
}

/** Whether the last line of this output may have lost its start. */
export function hasCutLastLine(output: string): boolean {
  return LEFT_OUT.test(output.trimEnd().split('\n').slice(-2).join('\n'))
}

/** The text, or the first and the last part of a longer one: at most this many characters. */
export function keepEnds(text: string, maxCharacters: number): string {
  const ends = new OutputEnds(maxCharacters)
  return ends.take(text) + ends.rest
}

/** Both streams: neither takes the room of the other. */
export function joinEnds(
  { stdout, stderr }: { stdout: string; stderr: string },
  maxCharacters: number,
): string {
  const errors = keepEnds(stderr, Math.max(Math.floor(maxCharacters / 4), maxCharacters - stdout.length))
  return keepEnds(stdout, maxCharacters - errors.length) + errors
}

/** Keeps the first and the last part of an output that arrives in pieces, with at most this many characters. */
export class OutputEnds {
  #max: number
  #first = ''
  #isFirstFull = false
  #last = ''
  /** Characters that were dropped from the start of `#last`. */
  #dropped = 0

  constructor(maxCharacters: number) {
    this.#max = maxCharacters
  }

  /** Returns what belongs to the first part. */
  take(text: string): string {
    const start = this.#isFirstFull ? '' : startOf(text, Math.floor(this.#max / 2) - this.#first.length)
    this.#first += start
    if (start.length === text.length) return start
    this.#isFirstFull = true
    this.#last += text.slice(start.length)
    // Not with each piece: cutting copies the text.
    if (this.#last.length > 2 * this.#max) this.#cutLast(this.#max)
    return start
  }

  /** The text after the first part, so far. */
  get rest(): string {
    const room = this.#max - this.#first.length
    if (this.#dropped === 0 && this.#last.length <= room) return this.#last
    this.#cutLast(Math.max(0, room - MAX_LEFT_OUT_CHARACTERS))
    return leftOutLine(this.#first, `${withCommas(this.#dropped)} characters`) + this.#last
  }

  get text(): string {
    return this.#first + this.rest
  }

  #cutLast(room: number): void {
    const kept = endOf(this.#last, room)
    this.#dropped += this.#last.length - kept.length
    this.#last = kept
  }
}

// Intl would load its tables into every agent.
const withCommas = (count: number) => `${count}`.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')

/** The first characters, without half of a surrogate pair. */
function startOf(text: string, length: number): string {
  const start = text.slice(0, length)
  return start.length < text.length && /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start
}

function endOf(text: string, length: number): string {
  const end = length === 0 ? '' : text.slice(-length)
  return end.length < text.length && /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end
}
