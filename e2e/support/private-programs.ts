import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/**
 * Shell scripts that an agent with `env` finds before the programs of the system: the machine that stories run on is
 * never restarted. `$here` is their folder, in which they write `calls`.
 */
export function openPrivatePrograms(bodies: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-story-programs-'))
  for (const [name, body] of Object.entries(bodies)) {
    writeFileSync(join(folder, name), `#!/bin/sh\nhere='${folder}'\n${body}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return {
    folder,
    env: { PATH: `${folder}${delimiter}${process.env['PATH']}` },
    calls: () => {
      const file = join(folder, 'calls')
      return existsSync(file) ? readFileSync(file, 'utf8') : ''
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
