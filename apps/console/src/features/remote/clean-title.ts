const MAX_CHARACTERS = 60

/**
 * A terminal title set by a program, made safe to show: one line without invisible or direction-changing characters, with
 * limited length. Undefined = nothing is left.
 */
export function cleanTitle(title: string): string | undefined {
  const seen = title
    .slice(0, 1000)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ')
    // A letter has few combining marks; stacks of them leave their line.
    .replaceAll(/(\p{M}{2})\p{M}+/gu, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const characters = Array.from(seen)
  if (characters.length === 0) return undefined
  return characters.length <= MAX_CHARACTERS ? seen : `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`
}
