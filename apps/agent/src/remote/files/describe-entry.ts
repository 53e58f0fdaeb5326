import { lstat, readFile, readlink, stat } from 'node:fs/promises'
import type { Dirent, Stats } from 'node:fs'
import type { FileEntry, FileKind } from '@muster/contract/agent/files'
import { showBytes } from '@muster/rules/agents/raw-path'
import { UserNames } from '../../os/linux/users.ts'
import { errorCode } from './file-errors.ts'
import { isWindows, joinPath, resolveLinks } from './paths.ts'

const MAX_TARGET_CHARACTERS = 300

export function kindOf(of: Stats | Dirent<Buffer>): FileKind {
  if (of.isFile()) return 'file'
  if (of.isDirectory()) return 'folder'
  if (of.isSymbolicLink()) return 'link'
  if (of.isBlockDevice() || of.isCharacterDevice()) return 'device'
  if (of.isFIFO()) return 'pipe'
  return of.isSocket() ? 'socket' : 'other'
}

/** The part of a description that differs between systems. */
export interface EntrySystem {
  describeRights(
    path: Buffer,
    found: Stats,
  ): Promise<Pick<FileEntry, 'mode' | 'attributes' | 'owner' | 'group'>>
}

/** Describes an entry; undefined if it has been removed. A link itself is described, not its target. */
export async function describeEntry(
  names: readonly Buffer[],
  system: EntrySystem,
): Promise<FileEntry | undefined> {
  const path = joinPath(names)
  const name = names.at(-1) ?? Buffer.from('/')
  const found = await lstat(path).catch((cause: unknown) => {
    if (errorCode(cause) === 'ENOENT') return undefined
    // Windows shows no more than the name of a file that is locked.
    if (isWindows && ['EBUSY', 'EPERM', 'EACCES'].includes(errorCode(cause) ?? '')) return null
    throw cause
  })
  if (found === undefined) return undefined
  const named = { raw: name.toString('base64url'), name: showBytes(name).slice(0, 255) }
  if (found === null)
    return {
      ...named,
      kind: 'other',
      size: 0,
      modified_ms: 0,
      mode: null,
      attributes: [],
      owner: '',
      group: '',
      target: null,
    }
  const kind = kindOf(found)
  return {
    ...named,
    kind,
    size: found.size,
    modified_ms: found.mtimeMs,
    ...(await system.describeRights(path, found)),
    target: kind === 'link' ? await describeTarget(names) : null,
  }
}

async function describeTarget(names: readonly Buffer[]): Promise<FileEntry['target']> {
  try {
    const target = await readlink(joinPath(names), { encoding: 'buffer' })
    const kind = await findKind(names).catch(() => null)
    return { path: showBytes(target).slice(0, MAX_TARGET_CHARACTERS), kind }
  } catch {
    // Links in /proc may be unreadable, but their type is known.
    return { path: '', kind: null }
  }
}

async function findKind(names: readonly Buffer[]): Promise<FileKind> {
  return kindOf(await stat(joinPath(isWindows ? await resolveLinks(names) : names)))
}

/** For one reply: names of owners are cached in it. */
export async function openEntrySystem(): Promise<EntrySystem> {
  return isWindows ? (await import('./windows-rights.ts')).openWindowsRights() : new PosixRights()
}

const users = new UserNames()

class PosixRights implements EntrySystem {
  #groups: Promise<Map<number, string>> | undefined

  async describeRights(_: Buffer, { mode, uid, gid }: Stats) {
    this.#groups ??= readGroups()
    return {
      mode: mode & 0o7777,
      attributes: null,
      owner: (await users.nameOf(uid)).slice(0, 64),
      group: ((await this.#groups).get(gid) ?? String(gid)).slice(0, 64),
    }
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
