import { createInstaller } from '@muster/contract/api/agents'
import type { Input } from '@muster/contract/endpoint'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import type { TestServer } from '../../testing/test-server.ts'
import { LONG_PATIENCE_MS } from '../../../../../tools/patience.ts'

const run = promisify(execFile)

/** A shell whose `uname` is that of another machine, and whose `sleep` does not wait long. */
export async function givenShell(system: 'Linux' | 'Darwin', processor: string) {
  const folder = await mkdtemp(join(tmpdir(), 'muster-shell-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const addProgram = (name: string, text: string) =>
    writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  await addProgram('uname', `if [ "$1" = -s ]; then echo ${system}; else echo ${processor}; fi`)
  await addProgram('sleep', 'exec /bin/sleep 0.1')
  let others = '/usr/bin:/bin'
  return {
    folder,
    addProgram,
    /** Hides these programs of the system. */
    async hide(...names: string[]): Promise<void> {
      others = join(folder, 'others')
      await mkdir(others)
      for (const name of await readdir('/usr/bin'))
        if (!names.includes(name)) await symlink(join('/usr/bin', name), join(others, name))
    },
    /** Runs a pasted line; rejects with its code and output. */
    paste: (line: string, env: Record<string, string> = {}) =>
      run('sh', ['-c', line], { env: { PATH: `${bin}:${others}`, ...env }, timeout: LONG_PATIENCE_MS }),
  }
}

/** The install command of a new site, as the console shows it. */
export async function givenInstaller(
  server: TestServer,
  order: Partial<Input<typeof createInstaller>['body']>,
) {
  const admin = server.as(await server.given.user({ superuser: true }))
  const site = await server.given.site()
  const { body } = await admin.call(createInstaller, {
    body: { client: site.client_id, site: site.id, agenttype: 'server', plat: 'linux', ...order },
  })
  return body
}
