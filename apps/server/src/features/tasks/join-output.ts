/** What several actions printed, one after the other, each from the beginning of a line. */
export function joinOutput(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => (part.endsWith('\n') ? part : `${part}\n`))
    .join('')
}
