/** The environment of a process for CreateProcess: sorted, each with a zero, and one more at the end. */
export function makeEnvironmentBlock(env: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\0`)
  const sorted = lines.toSorted((a, b) => (a.toUpperCase() < b.toUpperCase() ? -1 : 1))
  return Buffer.from(`${sorted.join('')}\0`, 'utf16le')
}

/** As programs of Windows split their command line: backslashes count only before a quote. */
export function quoteArgument(argument: string): string {
  if (argument !== '' && !/[\s"]/.test(argument)) return argument
  return `"${argument.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1')}"`
}

/** The variables of an environment block, up to the empty one at its end. Hidden ones (`=C:`) are left out. */
export function parseEnvironmentBlock(text: string): Record<string, string> {
  const lines = text.split('\0')
  const end = lines.indexOf('')
  return Object.fromEntries(
    lines.slice(0, end < 0 ? lines.length : end).flatMap((line) => {
      const at = line.indexOf('=', 1)
      return at < 1 || line.startsWith('=') ? [] : [[line.slice(0, at), line.slice(at + 1)]]
    }),
  )
}
