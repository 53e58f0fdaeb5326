const MOST_CHARACTERS = 60

/**
 * A title that a program has given to its terminal, as a name for people: one line without what is not seen, what turns
 * text around, and what is too long. Undefined = nothing is left of it.
 */
export function cleanTitle(title: string): string | undefined {
  const seen = title
    .slice(0, 1000)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ')
    // A letter carries a few marks; piled up they leave their line.
    .replaceAll(/(\p{M}{2})\p{M}+/gu, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const characters = Array.from(seen)
  if (characters.length === 0) return undefined
  return characters.length <= MOST_CHARACTERS ? seen : `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…`
}
