import { readFileSync, statSync } from 'node:fs'
import { CliError, describeError } from '../errors.ts'
import { resolvePath } from '../profiles.ts'

const MAX_BYTES = 64 * 1024 * 1024

/** The text of a file that is imported, as UTF-8. */
export function readImportFile(file: string): string {
  const path = resolvePath(file)
  try {
    if (statSync(path).size > MAX_BYTES) throw new CliError(`${file} is larger than 64 MB.`)
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    if (error instanceof CliError) throw error
    if (error instanceof TypeError) throw new CliError(`${file} is no UTF-8 text. Save it as UTF-8.`)
    throw new CliError(`${file} cannot be read: ${describeError(error)}`)
  }
}
