import { readFileSync } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { listNetworkMounts } from '../../os/linux/mounts.ts'

/** Paths of network mounts, each byte one character. */
export type NetworkMounts = ReadonlySet<string>

/** The mounts on which a call may never return. Linux only: elsewhere there is no list that names them without a call. */
export function readNetworkMounts(): NetworkMounts {
  if (process.platform !== 'linux') return new Set()
  return listNetworkMounts(readFileSync('/proc/self/mountinfo', 'latin1'))
}

/** As many as the kernel follows. */
const MAX_LINKS = 40

/** The first network mount on the way to a path, links included; the mount itself is not touched. */
export async function findNetworkMount(path: Buffer, mounts: NetworkMounts): Promise<string | undefined> {
  if (mounts.size === 0) return undefined
  const names = path.toString('latin1').split('/')
  let at = ''
  let links = 0
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === '' || name === '.') continue
    if (name === '..') {
      at = at.slice(0, Math.max(0, at.lastIndexOf('/')))
      continue
    }
    const next = `${at}/${name}`
    if (mounts.has(next)) return next
    const target = await readTarget(next)
    if (target === undefined) {
      at = next
      continue
    }
    links += 1
    if (links > MAX_LINKS) return undefined
    if (target.startsWith('/')) at = ''
    names.unshift(...target.split('/'))
  }
  return undefined
}

/** Undefined if it is no link, or does not exist. */
async function readTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(Buffer.from(path, 'latin1'), 'latin1')
  } catch {
    return undefined
  }
}
