import { constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'
import { AgentError } from '../../errors.ts'
import { kindOf } from './describe-entry.ts'
import { joinPath, readPath, refusePrivate } from './paths.ts'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants

export interface Opened {
  handle: FileHandle
  /** With links resolved. */
  path: Buffer
}

/**
 * Opens a file for reading. Links are followed. Anything but a regular file is never opened, because opening alone
 * may have effects.
 */
export async function openToRead(rawPath: string, dataFolder: string): Promise<Opened> {
  const path = await realpath(joinPath(readPath(rawPath)), { encoding: 'buffer' })
  await refusePrivate(path, dataFolder)
  refuseSpecial(kindOf(await stat(path)))
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  try {
    refuseSpecial(kindOf(await handle.stat()))
    // A folder on the way may have become a link since.
    if (process.platform === 'linux')
      await refusePrivate(await readlink(`/proc/self/fd/${handle.fd}`, { encoding: 'buffer' }), dataFolder)
    return { handle, path }
  } catch (cause) {
    await handle.close()
    throw cause
  }
}

/** Throws AgentError if it is not a regular file. */
export function refuseSpecial(kind: ReturnType<typeof kindOf>): void {
  if (kind === 'file') return
  const what = kind === 'folder' ? 'a folder' : `a ${kind}, not a file`
  throw new AgentError(`This is ${what}, so it has no content to read.`)
}

/** Changes when the file or its content changes. */
export async function versionOf(handle: FileHandle): Promise<{ size: number; version: string }> {
  const { size, mtimeNs, ctimeNs, ino, dev } = await handle.stat({ bigint: true })
  return { size: Number(size), version: [dev, ino, size, mtimeNs, ctimeNs].join('-') }
}
