import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder with programs of these names, each a shell script with the folder as `$here`, to stand first in a path. */
export async function givenPrograms(bodies: Record<string, string>) {
  const path = await mkdtemp(join(tmpdir(), 'muster-programs-'))
  for (const [name, body] of Object.entries(bodies)) {
    await writeFile(join(path, name), `#!/bin/sh\nhere='${path}'\n${body}\n`)
    await chmod(join(path, name), 0o755)
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
