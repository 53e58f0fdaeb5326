/** Concatenates the output of several actions, each starting on a new line. */
export function joinOutput(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => (part.endsWith('\n') ? part : `${part}\n`))
    .join('')
}
