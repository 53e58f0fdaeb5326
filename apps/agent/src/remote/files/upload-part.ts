import { constants } from 'node:fs'
import { type FileHandle, lstat, open, statfs, unlink } from 'node:fs/promises'
import { formatFileSize } from '@muster/rules/text/file-size'
import { MachineRefused } from '../../os/machine-refused.ts'
import { errorCode, withSentences } from './file-errors.ts'
import type { OpenParts } from './open-parts.ts'
import { writePath } from './paths.ts'
import { openPlace, type Place } from './place.ts'
import { stopWriting } from './upload-writers.ts'

const { O_RDWR, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants

interface UploadWish {
  path: string
  upload: string
}

export interface UploadSurroundings {
  dataFolder: string
  openParts: OpenParts
}

/** Makes the file that the bytes of an upload wait in. */
export async function beginUpload(
  { path, upload, size, replace }: UploadWish & { size: number; replace: boolean },
  { dataFolder, openParts }: UploadSurroundings,
): Promise<{ size: number }> {
  return withSentences(async () => {
    await using place = await openPlace(path, dataFolder)
    await refuseTaken(place, replace)
    const { bavail, bsize } = await statfs(place.at(Buffer.from('.')))
    if (bavail * bsize < size)
      throw new MachineRefused(`The disk is too full: it has room for ${formatFileSize(bavail * bsize)}.`)
    openParts.remember(partPath(place, upload))
    const handle = await open(partAt(place, upload), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    await handle.close()
    return { size: 0 }
  })
}

export async function lookAtUpload(
  { path, upload }: UploadWish,
  dataFolder: string,
): Promise<{ size: number }> {
  return withSentences(async () => {
    await stopWriting(upload)
    await using place = await openPlace(path, dataFolder)
    await using handle = await openPart(place, upload)
    return { size: (await handle.stat()).size }
  })
}

export async function dropUpload(
  { path, upload }: UploadWish,
  { dataFolder, openParts }: UploadSurroundings,
): Promise<Record<string, never>> {
  return withSentences(async () => {
    await stopWriting(upload)
    await using place = await openPlace(path, dataFolder)
    await unlink(partAt(place, upload)).catch(passOver('ENOENT'))
    openParts.forget(partPath(place, upload))
    return {}
  })
}

/** Whether it is gone, with its folder even, or was never made. */
export async function removeAbandoned(
  rawPath: string,
  { dataFolder, afterMs }: { dataFolder: string; afterMs: number },
): Promise<boolean> {
  await using place = await openPlace(rawPath, dataFolder).catch(passOver('ENOENT'))
  if (place === undefined) return true
  const found = await lstat(place.at()).catch(passOver('ENOENT'))
  if (found !== undefined && Date.now() - found.mtimeMs < afterMs) return false
  if (found !== undefined) await unlink(place.at())
  return true
}

/** Throws where something stands in the way of the name that the upload is to take. */
export async function refuseTaken(place: Place, replace: boolean): Promise<void> {
  const there = await lstat(place.at()).catch(passOver('ENOENT'))
  if (there === undefined) return
  if (!replace) throw new MachineRefused('Something of that name is there already.')
  if (!there.isFile()) throw new MachineRefused('What is there is no file, and is not replaced.')
}

/** Opens it to be written and read; throws where it is not the file that was made for this. */
export async function openPart(place: Place, upload: string): Promise<FileHandle> {
  const handle = await open(partAt(place, upload), O_RDWR | O_NOFOLLOW | O_NONBLOCK).catch(
    (cause: unknown) => {
      if (errorCode(cause) !== 'ENOENT') throw cause
      throw new MachineRefused('This upload is over, or was left alone for an hour. Begin it again.', {
        cause,
      })
    },
  )
  const found = await handle.stat()
  if (found.isFile() && found.nlink === 1) return handle
  await handle.close()
  throw new MachineRefused('Somebody has changed the file of this upload. Begin it again.')
}

export function partAt(place: Place, upload: string): Buffer {
  return place.at(partName(upload))
}

export function partPath(place: Place, upload: string): string {
  const folder = place.path.subarray(0, place.path.lastIndexOf('/') + 1)
  return writePath(Buffer.concat([folder, partName(upload)]))
}

function partName(upload: string): Buffer {
  return Buffer.from(`.muster-${upload}.part`)
}

function passOver(code: string): (cause: unknown) => undefined {
  return (cause) => {
    if (errorCode(cause) !== code) throw cause
    return undefined
  }
}
