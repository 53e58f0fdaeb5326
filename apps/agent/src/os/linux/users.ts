import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import type { MachineUser } from '../os.ts'
import { runTool } from '../run-tool.ts'

const LIMIT_MS = 5000

/** User names by number, from /etc/passwd or a directory service, which is asked once per number. */
export class UserNames {
  #changedAtMs = -1
  #local = new Map<number, string>()
  #asked = new Map<number, string>()

  async nameOf(uid: number): Promise<string> {
    this.#refresh()
    const known = this.#local.get(uid) ?? this.#asked.get(uid)
    if (known !== undefined) return known
    const name = await findNameInDirectory(uid)
    this.#asked.set(uid, name)
    return name
  }

  #refresh(): void {
    try {
      const { mtimeMs } = statSync('/etc/passwd')
      if (mtimeMs === this.#changedAtMs) return
      this.#changedAtMs = mtimeMs
      const rows = readFileSync('/etc/passwd', 'utf8').split('\n')
      this.#local = new Map(
        rows.map((row) => row.split(':')).map(([name = '', , uid]) => [Number(uid ?? NaN), name]),
      )
    } catch {
      // A machine without that file stores its users elsewhere.
      this.#local = new Map()
    }
  }
}

async function findNameInDirectory(uid: number): Promise<string> {
  try {
    const signal = AbortSignal.timeout(LIMIT_MS)
    const { stdout } = await runTool('getent', ['passwd', String(uid)], { signal, timeoutMs: LIMIT_MS })
    return stdout.split(':', 1)[0]?.trim() || String(uid)
  } catch {
    // Without getent or a result, the number itself is used.
    return String(uid)
  }
}

const run = promisify(execFile)

/** A user by name, from /etc/passwd or a directory service. */
export async function findLinuxUser(name: string): Promise<MachineUser | undefined> {
  if (!/^[^:\s/\0-][^:\s/\0]*$/.test(name)) return undefined
  return parsePasswd(readFileSync('/etc/passwd', 'utf8'), name) ?? (await askDirectory(name))
}

export function parsePasswd(passwd: string, name: string): MachineUser | undefined {
  for (const line of passwd.split('\n')) {
    const [user, , uid, gid, , home, shell] = line.split(':')
    if (user !== name || uid === undefined || gid === undefined) continue
    return { name, uid: Number(uid), gid: Number(gid), home: home || '/', shell: shell || '/bin/sh' }
  }
  return undefined
}

async function askDirectory(name: string): Promise<MachineUser | undefined> {
  try {
    const { stdout } = await run('getent', ['passwd', name], { timeout: 10_000 })
    return parsePasswd(stdout, name)
  } catch {
    // getent fails for a user that no source knows.
    return undefined
  }
}
