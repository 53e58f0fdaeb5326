import { readFileSync } from 'node:fs'

/** The version in this program's package.json. */
export const VERSION = readVersion()

function readVersion(): string {
  const url = new URL('../../../package.json', import.meta.url)
  // Our own package file.
  const { version } = JSON.parse(readFileSync(url, 'utf8')) as { version: string }
  return version
}
