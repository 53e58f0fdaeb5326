/** Joiners that change letters, as in Persian or Hindi, or that make one emoji of several characters. */
const VISIBLE_JOINERS =
  /(?<=[\p{L}\p{M}])(?<![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}])[\u200C\u200D](?=\p{L})|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})|(?<=\p{Emoji})\uFE0F/gu

/** U+2800 is a blank of its own, and U+3164 one that counts as a letter. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u
const ALL_INVISIBLE = new RegExp(INVISIBLE, 'gu')

/** The form in which names are stored: composed, so that equal names are equal texts, and on one line. */
export function normalizeName(name: string): string {
  return name
    .normalize('NFC')
    .replaceAll(/[\t\n\v\f\r\u2028\u2029]+/g, ' ')
    .trim()
}

/**
 * Two names with one key look the same, or differ in upper and lower case or in blanks only. Not covered: letters of
 * other alphabets that look alike.
 */
export function nameKey(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(ALL_INVISIBLE, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll(/\s+/gu, ' ')
    .trim()
}

/** Returns the sentence about a character that nobody sees or that turns the direction of text, or undefined. */
export function findNameProblem(name: string): string | undefined {
  const hidden = INVISIBLE.exec(name.replaceAll(VISIBLE_JOINERS, (joiner) => '.'.repeat(joiner.length)))
  if (hidden === null) return undefined
  const code = hidden[0].codePointAt(0) ?? 0
  const sign = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  const before = name.slice(0, hidden.index).slice(-20)
  return `Remove the invisible character ${sign}${before === '' ? ' at the start' : ` after "${before}"`}.`
}
