import { lstat, readlink, stat } from 'node:fs/promises'
import type { Dirent, Stats } from 'node:fs'
import type { FileEntry, FileKind } from '@muster/contract/agent/files'
import { showBytes } from '@muster/rules/agents/raw-path'
import { errorCode } from './file-errors.ts'
import type { OwnerNames } from './owner-names.ts'

const LONGEST_TARGET = 300

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
    return { path: showBytes(target).slice(0, LONGEST_TARGET), kind }
  } catch {
    // Links in /proc may be unreadable, but their type is known.
    return { path: '', kind: null }
  }
}
