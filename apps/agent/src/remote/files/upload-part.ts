import { constants, mkdirSync, readFileSync, rmSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { formatFileSize } from '@muster/rules/text/units'
import { z } from 'zod'
import { AgentError } from '../../errors.ts'
import { dataFiles, writePrivateFile } from '../../identity/data-folder.ts'
import { errorCode, passOver, withSentences } from './file-errors.ts'
import type { OpenParts } from './open-parts.ts'
import { refuseLinked } from './open-to-read.ts'
import { readPath, showPath, writePath } from './paths.ts'
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
    await findReplaced(parent, replace)
    await parent.prepareNew()
    const { bavail, bsize } = await statfs(parent.folder)
    if (bavail * bsize < size)
      throw new AgentError(`Not enough disk space. Free: ${formatFileSize(bavail * bsize)}.`)
    openParts.remember(partPath(parent, upload))
    await using handle = await parent.create(partName(upload))
    const folder = join(dataFolder, dataFiles.uploads)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writePrivateFile(
      folder,
      upload,
      JSON.stringify({ ...(await identify(handle)), size } satisfies PartRecord),
    )
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
    await using part = await openPart(parent, upload, dataFolder)
    return { size: (await part.handle.stat()).size }
  })
}

export async function dropUpload(
  { path, upload }: UploadRequest,
  surroundings: UploadSurroundings,
): Promise<Record<string, never>> {
  return withSentences(async () => {
    await stopWriting(upload)
    await using parent = await openParent(path, surroundings.dataFolder)
    await parent.removeFile(partName(upload)).catch(passOver('ENOENT'))
    releasePart(partPath(parent, upload), upload, surroundings)
    return {}
  })
}

/** Whether it, or even its folder, no longer exists. */
export async function removeAbandoned(
  rawPath: string,
  { dataFolder, afterMs }: { dataFolder: string; afterMs: number },
): Promise<boolean> {
  await using parent = await openParent(rawPath, dataFolder).catch(passOver('ENOENT'))
  const found = parent === undefined ? undefined : await lstat(parent.at()).catch(passOver('ENOENT'))
  if (found !== undefined && Date.now() - found.mtimeMs < afterMs) return false
  if (found !== undefined) await parent?.removeFile()
  const upload = PART_NAME.exec(showPath(readPath(rawPath)).toString('latin1'))?.[1]
  if (upload !== undefined) rmSync(recordPath(dataFolder, upload), { force: true })
  return true
}

/** The file that the upload will replace. Throws if its final name is taken. */
export async function findReplaced(parent: ParentFolder, replace: boolean): Promise<Stats | undefined> {
  const found = await lstat(parent.at()).catch(passOver('ENOENT'))
  if (found === undefined) return undefined
  if (!replace) throw new AgentError('A file or folder with this name already exists.')
  if (!found.isFile()) throw new AgentError('A folder or special file with this name already exists.')
  refuseLinked(found)
  return found
}

export interface OpenPart extends AsyncDisposable {
  handle: FileHandle
  /** The size that was announced at the start. */
  announced: number
}

/** Opens it for reading and writing. Throws if it is not the file that was created for this upload. */
export async function openPart(parent: ParentFolder, upload: string, dataFolder: string): Promise<OpenPart> {
  const created = readRecord(dataFolder, upload)
  const handle = await parent.open(constants.O_RDWR, partName(upload)).catch((cause: unknown) => {
    if (errorCode(cause) !== 'ENOENT') throw cause
    throw new AgentError('This upload has ended, or was idle for an hour. Start it again.', { cause })
  })
  const found = await handle.stat()
  const { dev, ino, uid } = await identify(handle)
  const isSame = created?.dev === dev && created.ino === ino && created.uid === uid
  if (isSame && found.isFile() && found.nlink === 1)
    return { handle, announced: created.size, [Symbol.asyncDispose]: () => handle.close() }
  await handle.close()
  throw new AgentError('The temporary file of this upload was changed. Start it again.')
}

/**
 * The file that was created for an upload. The owner of its folder can put another one in its place, also one of the
 * agent's own user, but none with its number. File systems without owners, and some on the network, give all files one
 * owner, so that of the start counts.
 */
const PartRecord = z.object({ dev: z.string(), ino: z.string(), uid: z.string(), size: z.int().min(0) })
type PartRecord = z.infer<typeof PartRecord>

async function identify(handle: FileHandle): Promise<Omit<PartRecord, 'size'>> {
  const { dev, ino, uid } = await handle.stat({ bigint: true })
  return { dev: String(dev), ino: String(ino), uid: String(uid) }
}

/** Undefined if there is none, or it is not complete. */
function readRecord(dataFolder: string, upload: string): PartRecord | undefined {
  try {
    return PartRecord.parse(JSON.parse(readFileSync(recordPath(dataFolder, upload), 'utf8')))
  } catch {
    return undefined
  }
}

function recordPath(dataFolder: string, upload: string): string {
  return join(dataFolder, dataFiles.uploads, upload)
}

/** Called when the temporary file of an upload is gone. */
export function releasePart(
  path: string,
  upload: string,
  { dataFolder, openParts }: UploadSurroundings,
): void {
  rmSync(recordPath(dataFolder, upload), { force: true })
  openParts.release(path)
}

export function partPath(parent: ParentFolder, upload: string): string {
  return writePath([...parent.names.slice(0, -1), partName(upload)])
}

const PART_NAME = /\.muster-([\da-f-]{36})\.part$/

export function partName(upload: string): Buffer {
  return Buffer.from(`.muster-${upload}.part`)
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
