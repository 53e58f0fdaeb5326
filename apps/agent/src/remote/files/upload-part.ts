import { constants } from 'node:fs'
import { type FileHandle, lstat, statfs } from 'node:fs/promises'
import { formatFileSize } from '@muster/rules/text/units'
import { AgentError } from '../../errors.ts'
import { errorCode, withSentences } from './file-errors.ts'
import type { OpenParts } from './open-parts.ts'
import { writePath } from './paths.ts'
import { openParent, type ParentFolder } from './open-parent.ts'

interface UploadRequest {
  path: string
  upload: string
}

export interface UploadSurroundings {
  dataFolder: string
  openParts: Pick<OpenParts, 'remember' | 'release'>
}

/** Creates the temporary file of an upload. */
export async function beginUpload(
  { path, upload, size, replace }: UploadRequest & { size: number; replace: boolean },
  { dataFolder, openParts }: UploadSurroundings,
): Promise<{ size: number }> {
  return withSentences(async () => {
    await using parent = await openParent(path, dataFolder)
    await refuseTaken(parent, replace)
    await parent.prepareNew()
    const { bavail, bsize } = await statfs(parent.folder)
    if (bavail * bsize < size)
      throw new AgentError(`Not enough disk space. Free: ${formatFileSize(bavail * bsize)}.`)
    openParts.remember(partPath(parent, upload))
    const handle = await parent.create(partName(upload))
    await handle.close()
    return { size: 0 }
  })
}

export async function lookAtUpload(
  { path, upload }: UploadRequest,
  dataFolder: string,
): Promise<{ size: number }> {
  return withSentences(async () => {
    await stopWriting(upload)
    await using parent = await openParent(path, dataFolder)
    await using handle = await openPart(parent, upload)
    return { size: (await handle.stat()).size }
  })
}

export async function dropUpload(
  { path, upload }: UploadRequest,
  { dataFolder, openParts }: UploadSurroundings,
): Promise<Record<string, never>> {
  return withSentences(async () => {
    await stopWriting(upload)
    await using parent = await openParent(path, dataFolder)
    await parent.removeFile(partName(upload)).catch(passOver('ENOENT'))
    openParts.release(partPath(parent, upload))
    return {}
  })
}

/** Whether it, or even its folder, no longer exists. */
export async function removeAbandoned(
  rawPath: string,
  { dataFolder, afterMs }: { dataFolder: string; afterMs: number },
): Promise<boolean> {
  await using parent = await openParent(rawPath, dataFolder).catch(passOver('ENOENT'))
  if (parent === undefined) return true
  const found = await lstat(parent.at()).catch(passOver('ENOENT'))
  if (found !== undefined && Date.now() - found.mtimeMs < afterMs) return false
  if (found !== undefined) await parent.removeFile()
  return true
}

/** Throws if the final name of the upload is taken. */
export async function refuseTaken(parent: ParentFolder, replace: boolean): Promise<void> {
  const there = await lstat(parent.at()).catch(passOver('ENOENT'))
  if (there === undefined) return
  if (!replace) throw new AgentError('A file or folder with this name already exists.')
  if (!there.isFile()) throw new AgentError('A folder or special file with this name already exists.')
}

/** Opens it for reading and writing. Throws if it is not the file that was created for this upload. */
export async function openPart(parent: ParentFolder, upload: string): Promise<FileHandle> {
  const handle = await parent.open(constants.O_RDWR, partName(upload)).catch((cause: unknown) => {
    if (errorCode(cause) !== 'ENOENT') throw cause
    throw new AgentError('This upload has ended, or was idle for an hour. Start it again.', { cause })
  })
  const found = await handle.stat()
  if (found.isFile() && found.nlink === 1) return handle
  await handle.close()
  throw new AgentError('The temporary file of this upload was changed. Start it again.')
}

export function partPath(parent: ParentFolder, upload: string): string {
  return writePath([...parent.names.slice(0, -1), partName(upload)])
}

export function partName(upload: string): Buffer {
  return Buffer.from(`.muster-${upload}.part`)
}

function passOver(code: string): (cause: unknown) => undefined {
  return (cause) => {
    if (errorCode(cause) !== code) throw cause
    return undefined
  }
}

/** Tracks the active writer of each upload: at most one, because the size of the file is the next offset. */
const writers = new Map<string, () => Promise<void>>()

/** Registers a writer that `stop` ends. Returns a function that releases it. */
export function beginWriting(upload: string, stop: () => Promise<void>): Disposable {
  writers.set(upload, stop)
  return {
    [Symbol.dispose]() {
      if (writers.get(upload) === stop) writers.delete(upload)
    },
  }
}

/** Finishes the current write and stops the writer: a lost connection may still be delivering. */
export async function stopWriting(upload: string): Promise<void> {
  await writers.get(upload)?.()
}
