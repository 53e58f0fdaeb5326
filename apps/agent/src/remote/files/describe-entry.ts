import { lstat, readFile, readlink, stat } from 'node:fs/promises'
import type { Dirent, Stats } from 'node:fs'
import type { FileEntry, FileKind } from '@muster/contract/agent/files'
import { showBytes } from '@muster/rules/agents/raw-path'
import { UserNames } from '../../os/linux/users.ts'
import { errorCode } from './file-errors.ts'

const MAX_TARGET_CHARACTERS = 300

export function kindOf(of: Stats | Dirent<Buffer>): FileKind {
  if (of.isFile()) return 'file'
  if (of.isDirectory()) return 'folder'
  if (of.isSymbolicLink()) return 'link'
  if (of.isBlockDevice() || of.isCharacterDevice()) return 'device'
  if (of.isFIFO()) return 'pipe'
  return of.isSocket() ? 'socket' : 'other'
}

/** Describes the entry at `path`; undefined if it has been removed. A link itself is described, not its target. */
export async function describeEntry(
  path: Buffer,
  name: Buffer,
  names: OwnerNames,
): Promise<FileEntry | undefined> {
  const found = await lstat(path).catch((cause: unknown) => {
    if (errorCode(cause) === 'ENOENT') return undefined
    throw cause
  })
  if (found === undefined) return undefined
  const kind = kindOf(found)
  return {
    raw: name.toString('base64url'),
    name: showBytes(name).slice(0, 255),
    kind,
    size: found.size,
    modified_ms: found.mtimeMs,
    mode: found.mode & 0o7777,
    owner: await names.userOf(found.uid),
    group: await names.groupOf(found.gid),
    target: kind === 'link' ? await describeTarget(path) : null,
  }
}

async function describeTarget(path: Buffer): Promise<FileEntry['target']> {
  try {
    const target = await readlink(path, { encoding: 'buffer' })
    const kind = await stat(path).then(kindOf, () => null)
    return { path: showBytes(target).slice(0, MAX_TARGET_CHARACTERS), kind }
  } catch {
    // Links in /proc may be unreadable, but their type is known.
    return { path: '', kind: null }
  }
}

/** Names of file owners by number, cached for one reply. */
export class OwnerNames {
  #users: UserNames
  #groups: Promise<Map<number, string>> | undefined

  constructor(users: UserNames) {
    this.#users = users
  }

  async userOf(uid: number): Promise<string> {
    return (await this.#users.nameOf(uid)).slice(0, 64)
  }

  async groupOf(gid: number): Promise<string> {
    this.#groups ??= readGroups()
    return ((await this.#groups).get(gid) ?? String(gid)).slice(0, 64)
  }
}

async function readGroups(): Promise<Map<number, string>> {
  try {
    const rows = (await readFile('/etc/group', 'utf8')).split('\n').map((row) => row.split(':'))
    return new Map(rows.map(([name = '', , gid]) => [Number(gid ?? NaN), name]))
  } catch {
    // A machine without that file stores its groups elsewhere; the number is used instead.
    return new Map()
  }
}
