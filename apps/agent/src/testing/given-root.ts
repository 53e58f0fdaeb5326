import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { givenFolder } from './given.ts'

/** The /sys, /proc and /etc of a machine as far as a test needs them; `links` are symbolic links. */
export function givenRoot(files: Record<string, string>, links: Record<string, string> = {}): string {
  const root = `${givenFolder()}/`
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  for (const [name, to] of Object.entries(links)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    symlinkSync(to, join(root, name))
  }
  return root
}
