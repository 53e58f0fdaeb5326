import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { MachineUser } from '../os.ts'

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
