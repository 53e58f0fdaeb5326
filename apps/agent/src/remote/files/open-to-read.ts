import { constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'
import { MachineRefused } from '../../os/machine-refused.ts'
import { kindOf } from './describe-entry.ts'
import { joinPath, readPath } from './paths.ts'
import { refusePrivate } from './private-folder.ts'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants

export interface Opened {
  handle: FileHandle
  /** Without links. */
  path: Buffer
}

/** Opens a file to read it. Links are followed; what is no file is never opened, because that alone may act. */
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

/** Throws where it is no file, with a sentence. */
export function refuseSpecial(kind: ReturnType<typeof kindOf>): void {
  if (kind === 'file') return
  const what = kind === 'folder' ? 'a folder' : `a ${kind}, not a file`
  throw new MachineRefused(`This is ${what}: it has no content that could be read.`)
}

/** Another one when the file has become another one, or its content. */
export async function versionOf(handle: FileHandle): Promise<{ size: number; version: string }> {
  const { size, mtimeNs, ctimeNs, ino, dev } = await handle.stat({ bigint: true })
  return { size: Number(size), version: [dev, ino, size, mtimeNs, ctimeNs].join('-') }
}
