/**
 * A sort key for names: ignores case and accents and compares numbers by value, so that PC-2 comes before PC-10.
 * Comparing two keys with `<` is much faster than a locale's comparison.
 */
export function toSortKey(text: string): string {
  const known = keys.get(text)
  if (known !== undefined) return known
  const key = makeKey(text)
  // Names come from bounded lists. This limit only protects a console that is never closed.
  if (keys.size > MOST_KEYS) keys.clear()
  keys.set(text, key)
  return key
}

const MOST_KEYS = 500_000
const DIGITS = 12
const keys = new Map<string, string>()

function makeKey(text: string): string {
  const plain = isAscii(text) ? text : text.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  return plain.toLowerCase().replaceAll(/\d+/g, (digits) => digits.padStart(DIGITS, '0'))
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 127) return false
  return true
}
