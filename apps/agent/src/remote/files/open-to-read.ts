import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readlink, stat } from 'node:fs/promises'
import { AgentError } from '../../errors.ts'
import { kindOf } from './describe-entry.ts'
import { isWindows, joinPath, readPath, refusePrivate, resolveLinks } from './paths.ts'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants

export interface Opened {
  handle: FileHandle
  /** The path with links resolved. */
  names: Buffer[]
}

/**
 * Opens a file for reading. Links are followed. Anything but a regular file is never opened, because opening alone
 * may have effects.
 */
export async function openToRead(rawPath: string, dataFolder: string): Promise<Opened> {
  const names = await resolveLinks(readPath(rawPath))
  await refusePrivate(names, dataFolder)
  if (names.length === 0) refuseSpecial('folder')
  const path = joinPath(names)
  refuseSpecial(kindOf(await stat(path)))
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  try {
    refuseSpecial(kindOf(await handle.stat()))
    // A folder on the way may have become a link since.
    if (process.platform === 'linux') await refusePrivate(await namesOf(handle), dataFolder)
    if (isWindows) await requireSame(handle, names)
    return { handle, names }
  } catch (cause) {
    await handle.close()
    throw cause
  }
}

async function namesOf({ fd }: FileHandle): Promise<Buffer[]> {
  const path = await readlink(`/proc/self/fd/${fd}`, { encoding: 'buffer' })
  return readPath(path.toString('base64url'))
}

/** Throws AgentError unless the path, still without links, is the one of this file. */
async function requireSame(handle: FileHandle, names: readonly Buffer[]): Promise<void> {
  const there = await lstat(joinPath(names), { bigint: true })
  const { ino, dev } = await handle.stat({ bigint: true })
  const now = Buffer.concat(await resolveLinks(names))
  if (there.ino !== ino || there.dev !== dev || !now.equals(Buffer.concat(names)))
    throw new AgentError('The file was replaced meanwhile. Reload the folder.')
}

/** Throws AgentError if it is not a regular file. */
export function refuseSpecial(kind: ReturnType<typeof kindOf>): void {
  if (kind === 'file') return
  const what = kind === 'folder' ? 'a folder' : `a ${kind}, not a file`
  throw new AgentError(`This is ${what}, so it has no content to read.`)
}

/** Throws AgentError if it has several names: its content would be replaced under one of them only. */
export function refuseLinked({ nlink }: Pick<Stats, 'nlink'>): void {
  if (nlink > 1)
    throw new AgentError('This file has several names (hard links). Change it on the machine itself.')
}

/** Changes when the file or its content changes. */
export async function versionOf(handle: FileHandle): Promise<{ size: number; version: string }> {
  const { size, mtimeNs, ctimeNs, ino, dev } = await handle.stat({ bigint: true })
  return { size: Number(size), version: [dev, ino, size, mtimeNs, ctimeNs].join('-') }
}
