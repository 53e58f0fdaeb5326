import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { givenFolder } from './given.ts'

/** Creates shell scripts with these names, first in PATH; returns their folder, which is `$here` in them. */
export function givenPrograms(bodies: Record<string, string>): string {
  const folder = givenFolder()
  for (const [name, body] of Object.entries(bodies)) {
    const file = join(folder, name)
    writeFileSync(file, `#!/bin/sh\nhere='${folder}'\n${body}\n`)
    chmodSync(file, 0o755)
  }
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  return folder
}
