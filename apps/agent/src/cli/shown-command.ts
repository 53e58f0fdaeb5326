import type { Os } from '../os/os.ts'

interface Agent {
  /** Command line that starts this agent. */
  program: readonly string[]
  folder: string
  os: Pick<Os, 'defaultDataFolder'>
}

/** Returns the line that an administrator runs on this machine, for the data folder of this agent. */
export function shownCommand({ program, folder, os }: Agent, ...words: string[]): string {
  // The options of Node in between do not change what the command does.
  const start = program.length > 1 ? [program[0] ?? '', program.at(-1) ?? ''] : program
  const data = folder === os.defaultDataFolder() ? [] : ['--data', folder]
  return [...start, ...words, ...data]
    .map((word) => (/^[\w./:\\-]+$/.test(word) ? word : `"${word}"`))
    .join(' ')
}
