import { lstat, readFile, readlink, stat } from 'node:fs/promises'
import { constants, type Dirent, type Stats } from 'node:fs'
import type { FileEntry, FileKind } from '@muster/contract/agent/files'
import { showBytes } from '@muster/rules/agents/raw-path'
import { UserNames } from '../../os/linux/users.ts'
import { AgentError } from '../../errors.ts'
import { describeFileError, errorCode } from './file-errors.ts'
import type { MountStats } from './mount-stats.ts'
import { isWindows, joinPath, resolveLinks } from './paths.ts'

const MAX_TARGET_CHARACTERS = 300

/** The parts of `lstat` that entries need. */
export type EntryStats = Pick<Stats, 'mode' | 'size' | 'mtimeMs' | 'uid' | 'gid'>

export function kindOf(of: Stats | Dirent<Buffer>): FileKind {
  if (of.isFile()) return 'file'
  if (of.isDirectory()) return 'folder'
  if (of.isSymbolicLink()) return 'link'
  if (of.isBlockDevice() || of.isCharacterDevice()) return 'device'
  if (of.isFIFO()) return 'pipe'
  return of.isSocket() ? 'socket' : 'other'
}

export function kindOfMode(mode: number): FileKind {
  switch (mode & constants.S_IFMT) {
    case constants.S_IFREG:
      return 'file'
    case constants.S_IFDIR:
      return 'folder'
    case constants.S_IFLNK:
      return 'link'
    case constants.S_IFBLK:
    case constants.S_IFCHR:
      return 'device'
    case constants.S_IFIFO:
      return 'pipe'
    default:
      return (mode & constants.S_IFMT) === constants.S_IFSOCK ? 'socket' : 'other'
  }
}

/** The part of a description that differs between systems. */
export interface EntrySystem {
  describeRights(
    path: Buffer,
    found: EntryStats,
  ): Promise<Pick<FileEntry, 'mode' | 'attributes' | 'owner' | 'group'>>
}

interface Surroundings {
  system: EntrySystem
  mounts: MountStats
}

/** Describes an entry; undefined if it has been removed. A link itself is described, not its target. */
export async function describeEntry(
  names: readonly Buffer[],
  { system, mounts }: Surroundings,
): Promise<FileEntry | undefined> {
  const path = joinPath(names)
  const name = names.at(-1) ?? Buffer.from('/')
  const named = { raw: name.toString('base64url'), name: showBytes(name).slice(0, 255) }
  const found = await findStats(path, mounts)
  if (found === undefined) return undefined
  if ('kind' in found) return { ...named, ...UNKNOWN, ...found }
  const kind = kindOfMode(found.mode)
  return {
    ...named,
    kind,
    size: found.size,
    modified_ms: found.mtimeMs,
    ...(await system.describeRights(path, found)),
    ...(kind === 'link' ? await describeTarget(names, mounts) : { target: null }),
  }
}

const UNKNOWN = {
  kind: 'other',
  size: 0,
  modified_ms: 0,
  mode: null,
  attributes: isWindows ? [] : null,
  owner: '',
  group: '',
  target: null,
} satisfies Partial<FileEntry>

/** One entry that cannot be described never hides the others. */
async function findStats(
  path: Buffer,
  mounts: MountStats,
): Promise<EntryStats | Pick<FileEntry, 'kind' | 'problem'> | undefined> {
  const isMount = mounts.isMount(path)
  try {
    if (!isMount) return await lstat(path)
    const stats = await mounts.stat(path, { mount: path.toString('latin1'), followsLinks: false })
    return stats ?? { kind: 'folder', problem: NO_RESPONSE }
  } catch (cause) {
    const code = errorCode(cause)
    if (code === undefined && !(cause instanceof AgentError)) throw cause
    if (code === 'ENOENT') return undefined
    // Windows shows no more than the name of a file that is locked.
    if (isWindows && ['EBUSY', 'EPERM', 'EACCES'].includes(code ?? '')) return { kind: 'other' }
    const problem = `Not reachable: ${describeFileError(cause).message}`.slice(0, 200)
    return { kind: isMount ? 'folder' : 'other', problem }
  }
}

const NO_RESPONSE = 'The network drive does not respond.'

async function describeTarget(
  names: readonly Buffer[],
  mounts: MountStats,
): Promise<Pick<FileEntry, 'target' | 'problem'>> {
  try {
    const target = await readlink(joinPath(names), { encoding: 'buffer' })
    const path = showBytes(target).slice(0, MAX_TARGET_CHARACTERS)
    const mount = await mounts.findMount(joinPath(names))
    if (mount === undefined) return { target: { path, kind: await findKind(names).catch(() => null) } }
    const stats = await mounts.stat(joinPath(names), { mount, followsLinks: true }).catch(() => null)
    if (stats === undefined) return { target: { path, kind: null }, problem: NO_RESPONSE }
    return { target: { path, kind: stats === null ? null : kindOfMode(stats.mode) } }
  } catch {
    // Links in /proc may be unreadable, but their type is known.
    return { target: { path: '', kind: null } }
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

  async describeRights(_: Buffer, { mode, uid, gid }: EntryStats) {
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
