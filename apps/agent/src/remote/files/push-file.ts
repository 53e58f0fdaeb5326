import { createHash } from 'node:crypto'
import { constants, mkdirSync, readdirSync, readFileSync, rmSync, type Stats, statSync } from 'node:fs'
import { type FileHandle, open, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { FileHash, FileMode, FileOwner, RawPath } from '@muster/contract/agent/files'
import {
  KEPT_FILE_DAYS,
  MAX_KEPT_FILE_BYTES,
  type PushFile,
  PUSHED,
  type UndonePush,
} from '@muster/contract/agent/push-file'
import { showBytes } from '@muster/rules/agents/raw-path'
import { formatFileSize } from '@muster/rules/text/units'
import { z } from 'zod'
import { AgentError } from '../../errors.ts'
import { dataFiles, writePrivateFile } from '../../identity/data-folder.ts'
import { describeFileError, withSentences } from './file-errors.ts'
import type { ParentFolder } from './open-parent.ts'
import { isWindows, showPath, writePath } from './paths.ts'
import { findFile, findOwner, openFolder, refuseRights, setRights } from './put-text.ts'
import { newDraft, writeBeside } from './text-file.ts'
import type { UploadSurroundings } from './upload-part.ts'

/** The file before a job, for undo. Its content is kept beside this record, in the agent's own folder. */
const Former = z.discriminatedUnion('state', [
  z.object({ state: z.literal('missing') }),
  z.object({
    state: z.literal('kept'),
    hash: FileHash,
    mode: FileMode.nullable(),
    owner: FileOwner.nullable(),
  }),
  z.object({ state: z.literal('lost'), reason: z.string() }),
])
const PushRecord = z.object({ path: RawPath, written: FileHash, former: Former })
type PushRecord = z.infer<typeof PushRecord>

interface PushSurroundings {
  dataFolder: string
  /** The name of the temporary file beside the target. */
  draft: string
  /** Writes the content to a new, empty file, and checks its hash. */
  download: (handle: FileHandle) => Promise<void>
}

/** The path of the temporary file, for the case that the agent is killed before the end. */
export async function findDraft(path: string, dataFolder: string): Promise<{ name: string; path: string }> {
  await using parent = await openFolder(path, dataFolder)
  const draft = newDraft()
  return { name: draft.toString(), path: writePath([...parent.names.slice(0, -1), draft]) }
}

/** Writes a file, if it does not have this content yet. It is replaced as a whole. Returns one of PUSHED. */
export async function pushFile(
  order: PushFile,
  { dataFolder, draft, download }: PushSurroundings,
): Promise<string> {
  return withSentences(async () => {
    const { mode, owner, overwrite } = order
    refuseRights({ mode, owner })
    const ids = owner === null ? undefined : await findOwner(owner)
    const records = openRecords(dataFolder)
    await using parent = await openFolder(order.path, dataFolder)
    const found = await findFile(parent)
    const hash = found === undefined ? undefined : await hashFile(parent)
    const isSame = hash === order.sha256
    const hasRights =
      found !== undefined &&
      (mode === null || mode === (found.mode & 0o7777)) &&
      (ids === undefined || (ids.uid === found.uid && (ids.gid ?? found.gid) === found.gid))
    if (isSame && hasRights) return records.find(order)?.written === hash ? PUSHED.earlier : PUSHED.same
    if (found !== undefined && !isSame && !overwrite) return PUSHED.skipped
    const { bavail, bsize } = await statfs(parent.folder)
    if (bavail * bsize < order.bytes)
      throw new AgentError(`Not enough disk space. Free: ${formatFileSize(bavail * bsize)}.`)
    let former: PushRecord['former'] = { state: 'missing' }
    await writeBeside(parent, Buffer.from(draft), {
      fill: download,
      setRights: (written) => setRights(parent, written, { found, mode, ids }),
      async take(written) {
        former = await records.keep(order, parent)
        await parent.take(written, found)
      },
    })
    return describePushed(former)
  })
}

function describePushed(former: PushRecord['former']): string {
  switch (former.state) {
    case 'missing':
      return PUSHED.created
    case 'kept':
      return PUSHED.replaced
    case 'lost':
      return `${PUSHED.lost}${former.reason}`
  }
}

/** Where a job wrote its file. */
export function requirePushedPath(job: number, dataFolder: string): string {
  return requireRecord(job, dataFolder).path
}

function requireRecord(job: number, dataFolder: string): PushRecord {
  const record = openRecords(dataFolder).read(job)
  if (record === undefined) throw new AgentError('The former file is no longer kept on this machine.')
  return record
}

/** Restores what was there before a job, if the file still has the content of the job. */
export async function undoPush(
  job: number,
  { dataFolder, openParts }: UploadSurroundings,
): Promise<z.infer<typeof UndonePush>> {
  return withSentences(async () => {
    const records = openRecords(dataFolder)
    const { path, written, former } = requireRecord(job, dataFolder)
    if (former.state === 'lost') throw new AgentError(former.reason)
    await using parent = await openFolder(path, dataFolder)
    const found = await findFile(parent)
    const hash = found === undefined ? undefined : await hashFile(parent)
    // Undo that was interrupted and is tried again.
    if (former.state === 'missing' && found === undefined) return { state: 'deleted' }
    if (former.state === 'kept' && hash === former.hash) return { state: 'restored' }
    if (hash !== written)
      throw new AgentError(
        `"${showBytes(showPath(parent.names))}" was changed on the machine, so it was not replaced.`,
      )
    if (former.state === 'missing') {
      await parent.removeFile()
      await parent.sync()
      return { state: 'deleted' }
    }
    const draft = newDraft()
    const draftPath = writePath([...parent.names.slice(0, -1), draft])
    openParts.remember(draftPath)
    try {
      const ids = former.owner === null ? undefined : await findOwner(former.owner)
      await writeBeside(parent, draft, {
        fill: (handle) => records.copyContent(job, handle),
        setRights: (written) => setRights(parent, written, { found, mode: former.mode, ids }),
        take: (written) => parent.take(written, found),
      })
    } finally {
      openParts.release(draftPath)
    }
    return { state: 'restored' }
  })
}

/** The records of jobs, in a folder that only the agent can read. */
function openRecords(dataFolder: string) {
  const folder = join(dataFolder, dataFiles.pushed)
  const [name, content] = [(job: number) => `job-${job}.json`, (job: number) => join(folder, `job-${job}`)]
  const read = (job: number): PushRecord | undefined => {
    try {
      return PushRecord.parse(JSON.parse(readFileSync(join(folder, name(job)), 'utf8')))
    } catch {
      // None, or not complete.
      return undefined
    }
  }
  const find = ({ job, path }: Pick<PushFile, 'job' | 'path'>) => {
    const record = read(job)
    return record?.path === path ? record : undefined
  }
  return {
    read,
    find,
    async copyContent(job: number, to: FileHandle): Promise<void> {
      await using from = await open(content(job))
      await copyContent(from, to)
    },
    /** Stores the current file. What an earlier try of the job has written does not replace it. */
    async keep(order: PushFile, parent: ParentFolder): Promise<PushRecord['former']> {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      removeOld(folder)
      const { job, path, sha256 } = order
      const found = await findFile(parent)
      const hash = found === undefined ? undefined : await hashFile(parent)
      const earlier = find(order)
      if (hash === sha256 && earlier !== undefined) return earlier.former
      const former = await copyFormer(parent, { found, hash, to: content(job) })
      writePrivateFile(
        folder,
        name(job),
        JSON.stringify({ path, written: sha256, former } satisfies PushRecord),
      )
      return former
    },
  }
}

async function copyFormer(
  parent: ParentFolder,
  { found, hash, to }: { found: Stats | undefined; hash: string | undefined; to: string },
): Promise<PushRecord['former']> {
  if (found === undefined || hash === undefined) return { state: 'missing' }
  if (found.size > MAX_KEPT_FILE_BYTES)
    return {
      state: 'lost',
      reason: `The former file was larger than ${formatFileSize(MAX_KEPT_FILE_BYTES)}.`,
    }
  try {
    await using from = await parent.open(constants.O_RDONLY)
    await using copy = await open(to, 'w', 0o600)
    await copyContent(from, copy)
    await copy.sync()
  } catch (cause) {
    rmSync(to, { force: true })
    throw new AgentError(`Failed to keep the former file. ${describeFileError(cause).message}`, { cause })
  }
  const rights = isWindows
    ? { mode: null, owner: null }
    : { mode: found.mode & 0o7777, owner: `${found.uid}:${found.gid}` }
  return { state: 'kept', hash, ...rights }
}

const DAY_MS = 86_400_000

function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity }
    if (mtimeMs < Date.now() - KEPT_FILE_DAYS * DAY_MS) rmSync(path, { force: true })
  }
}

/** The file is closed at once: Windows replaces no open file. */
async function hashFile(parent: ParentFolder): Promise<string> {
  await using handle = await parent.open(constants.O_RDONLY)
  const hash = createHash('sha256')
  for await (const chunk of readChunks(handle)) hash.update(chunk)
  return hash.digest('hex')
}

async function copyContent(from: FileHandle, to: FileHandle): Promise<void> {
  let position = 0
  for await (const chunk of readChunks(from)) {
    await to.write(chunk, 0, chunk.byteLength, position)
    position += chunk.byteLength
  }
}

/** Each chunk is valid until the next one. Streams of a handle would close it, or never end. */
async function* readChunks(handle: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(256 * 1024)
  for (let position = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}
