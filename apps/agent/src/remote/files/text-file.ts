import { createHash, randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat } from 'node:fs/promises'
import { MAX_TEXT_BYTES, type TextFile, type WrittenText } from '@muster/contract/agent/files'
import { AgentError } from '../../errors.ts'
import { kindOf } from './describe-entry.ts'
import { passOver, withSentences } from './file-errors.ts'
import { openToRead, refuseLinked, refuseSpecial } from './open-to-read.ts'
import { type Draft, openParent, type ParentFolder } from './open-parent.ts'
import { writePath } from './paths.ts'
import type { UploadSurroundings } from './upload-part.ts'

/** Reads a small text file and its hash. */
export async function readText(path: string, dataFolder: string): Promise<TextFile> {
  return withSentences(async () => {
    const opened = await openToRead(path, dataFolder)
    await using handle = opened.handle
    const bytes = await readSmall(handle)
    return { path: writePath(opened.names), text: decode(bytes), hash: hashOf(bytes) }
  })
}

/** Replaces a text file if it still has the expected hash. Otherwise returns its current content. */
export async function writeText(
  request: { path: string; text: string; hash: string },
  { dataFolder, openParts }: UploadSurroundings,
): Promise<WrittenText> {
  return withSentences(async () => {
    await using parent = await openParent(request.path, dataFolder)
    // Opening a device or a pipe may have effects. A link is refused when it is opened.
    const kind = kindOf(await lstat(parent.at()))
    if (kind !== 'link') refuseSpecial(kind)
    const { found, hash } = await readCurrent(parent)
    if (hash !== request.hash) return { state: 'changed', hash }
    const bytes = Buffer.from(request.text)
    const draft = newDraft()
    const draftPath = writePath([...parent.names.slice(0, -1), draft])
    // If the agent is killed before the end, it is removed later.
    openParts.remember(draftPath)
    try {
      await writeBeside(parent, draft, {
        fill: (handle) => handle.writeFile(bytes),
        setRights: (written) => parent.copyRights(written, found),
        take: (written) => parent.take(written, found),
      })
    } finally {
      openParts.release(draftPath)
    }
    return { state: 'written', hash: hashOf(bytes) }
  })
}

/** The file is closed at once: Windows replaces no open file. */
async function readCurrent(parent: ParentFolder): Promise<{ found: Stats; hash: string }> {
  await using handle = await parent.open(constants.O_RDONLY)
  const found = await handle.stat()
  refuseLinked(found)
  return { found, hash: hashOf(await readSmall(handle)) }
}

/** The name of a temporary file. */
export function newDraft(): Buffer {
  return Buffer.from(`.muster-${randomUUID()}.part`)
}

/** Writes a draft in the folder, which `take` moves to its name at once. Nothing is left behind on failure. */
export async function writeBeside(
  parent: ParentFolder,
  name: Buffer,
  {
    fill,
    setRights,
    take,
  }: {
    fill: (handle: FileHandle) => Promise<void>
    setRights: (draft: Draft) => Promise<void>
    take: (draft: Draft) => Promise<void>
  },
): Promise<void> {
  await parent.prepareNew()
  const handle = await parent.create(name)
  try {
    await using _ = handle
    await fill(handle)
    await setRights({ name, handle })
    await handle.sync()
    await take({ name, handle })
  } catch (cause) {
    await parent.removeFile(name).catch(passOver('ENOENT'))
    throw cause
  }
  await parent.sync()
}

async function readSmall(handle: FileHandle): Promise<Buffer> {
  const bytes = await findSmall(handle)
  if (bytes === undefined) throw new AgentError('The file is too large to edit. Download it instead.')
  return bytes
}

/** The bytes of a file; undefined = too large to edit. */
export async function findSmall(handle: FileHandle): Promise<Buffer | undefined> {
  const buffer = Buffer.alloc(MAX_TEXT_BYTES + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
    length += bytesRead
    if (length > MAX_TEXT_BYTES) return undefined
    if (bytesRead === 0) return buffer.subarray(0, length)
  }
}

function decode(bytes: Buffer): string {
  const text = findText(bytes)
  if (text === undefined) throw new AgentError('This is not a UTF-8 text file. Download it instead.')
  return text
}

/** Bytes as UTF-8 text; undefined = they are not. */
export function findText(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    // Invalid UTF-8.
    return undefined
  }
}

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
