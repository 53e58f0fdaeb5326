import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

const POSIX_FOLDERS =
  '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin:/opt/homebrew/bin'

/**
 * The search path of everything that is run: the agent's own path, and the usual folders, which services often lack.
 */
export function searchPath(): string {
  const own = process.env.PATH ?? ''
  if (process.platform === 'win32') return own
  return [...new Set([...own.split(delimiter), ...POSIX_FOLDERS.split(delimiter)])]
    .filter(isAbsolute)
    .join(delimiter)
}

/** The full path of the first of these programs that is installed. */
export function findProgram(...names: string[]): string | undefined {
  for (const name of names) {
    if (isAbsolute(name)) {
      if (isProgram(name)) return name
      continue
    }
    const found = searchPath()
      .split(delimiter)
      .flatMap((folder) => fileNames(name).map((file) => join(folder, file)))
      .find(isProgram)
    if (found !== undefined) return found
  }
  return undefined
}

function fileNames(name: string): string[] {
  return process.platform === 'win32' && !name.includes('.') ? [`${name}.exe`, `${name}.cmd`] : [name]
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
