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
