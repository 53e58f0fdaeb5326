/** Lines of a log of JSON lines that a healthy program does not write: warnings, errors, and anything else at all. */
export function findTrouble(lines: readonly string[], allowed: readonly RegExp[] = []): string[] {
  return lines.filter(
    (line) => line !== '' && isTrouble(line) && !allowed.some((pattern) => pattern.test(line)),
  )
}

/** Fails with the lines where there are any. */
export function expectNoTrouble(who: string, lines: readonly string[], allowed: readonly RegExp[]): void {
  const trouble = findTrouble(lines, allowed)
  if (trouble.length > 0) throw new Error(`unexpected in the log of ${who}:\n${trouble.join('\n')}`)
}

const PINO_WARN = 40
const QUIET_LEVELS = new Set<unknown>(['debug', 'info'])

function isTrouble(line: string): boolean {
  let entry: unknown
  try {
    entry = JSON.parse(line)
  } catch {
    return true
  }
  if (typeof entry !== 'object' || entry === null || !('level' in entry)) return true
  return typeof entry.level === 'number' ? entry.level >= PINO_WARN : !QUIET_LEVELS.has(entry.level)
}
