import { HIDDEN_TEXT } from '../agents/script-variables.ts'
import { formsOf } from './secret-forms.ts'

/** Start of the Unicode symbols for control characters, and the one for "delete". */
const PICTURES = 0x24_00
const DELETE = 0x7f
const DELETE_PICTURE = 0x24_21

/**
 * Text of a machine without active characters: control characters become their symbols, bidirectional and invisible
 * characters become U+FFFD. Tabs and line ends stay, a carriage return before one is removed.
 */
export function makeVisible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => {
    if (char === '\t' || char === '\n') return char
    const code = char.codePointAt(0) ?? 0
    if (code < 0x20) return String.fromCodePoint(PICTURES + code)
    return code === DELETE ? String.fromCodePoint(DELETE_PICTURE) : '\uFFFD'
  })
}

/** Shorter values are not hidden: they would match in any output. */
const MIN_HIDDEN_CHARACTERS = 4

/**
 * Hides secrets in a text that arrives in pieces. The possible start of a secret is held back until the next piece,
 * or the end, decides.
 */
export class SecretFilter {
  /** Hidden texts, longest first. */
  #forms: string[]
  /** By their first characters. */
  #formsByStart: Map<string, string[]>
  #pattern: RegExp | undefined
  #held = ''

  constructor(secrets: readonly string[]) {
    // Longest first, so that of two with a common start the longer one is hidden.
    this.#forms = [...new Set(secrets.flatMap(formsOf))]
      .filter((form) => form.length >= MIN_HIDDEN_CHARACTERS)
      .toSorted((a, b) => b.length - a.length)
    this.#formsByStart = Map.groupBy(this.#forms, (form) => form.slice(0, MIN_HIDDEN_CHARACTERS))
    if (this.#forms.length > 0)
      this.#pattern = new RegExp(this.#forms.map((form) => escapeForPattern(form)).join('|'), 'g')
  }

  /** Returns the text that can be shown. */
  take(text: string): string {
    return this.#pattern === undefined ? text : this.#hide(this.#pattern, this.#held + text, false)
  }

  /** Returns the text that was held back. */
  end(): string {
    return this.#pattern === undefined ? '' : this.#hide(this.#pattern, this.#held, true)
  }

  #hide(pattern: RegExp, text: string, isEnd: boolean): string {
    let out = ''
    let from = 0
    let limit = isEnd ? text.length : this.#undecidedFrom(text, 0)
    for (;;) {
      pattern.lastIndex = from
      const match = pattern.exec(text)
      if (match === null || match.index >= limit) break
      out += text.slice(from, match.index) + HIDDEN_TEXT
      from = match.index + match[0].length
      if (!isEnd && from > limit) limit = this.#undecidedFrom(text, from)
    }
    this.#held = text.slice(limit)
    return out + text.slice(from, limit)
  }

  /** The first position from `from` on where an incomplete secret may start. */
  #undecidedFrom(text: string, from: number): number {
    const longest = this.#forms[0]?.length ?? 0
    for (let at = Math.max(from, text.length - longest + 1); at < text.length; at += 1) {
      if (this.#mayContinue(text, at)) return at
    }
    return text.length
  }

  /** Whether the rest of the text is the start of a longer secret. */
  #mayContinue(text: string, at: number): boolean {
    const restLength = text.length - at
    const forms =
      restLength < MIN_HIDDEN_CHARACTERS
        ? this.#forms
        : (this.#formsByStart.get(text.slice(at, at + MIN_HIDDEN_CHARACTERS)) ?? [])
    for (const form of forms) {
      if (form.length <= restLength) return false
      if (form.startsWith(text.slice(at))) return true
    }
    return false
  }
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
