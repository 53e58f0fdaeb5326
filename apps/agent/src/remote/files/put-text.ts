import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, readFile } from 'node:fs/promises'
import type { FoundText, PutResult, PutText } from '@muster/contract/agent/files'
import { showBytes } from '@muster/rules/agents/raw-path'
import { AgentError } from '../../errors.ts'
import { runTool } from '../../os/run-tool.ts'
import { kindOf } from './describe-entry.ts'
import { describeFileError, errorCode, withSentences } from './file-errors.ts'
import { refuseLinked, refuseSpecial } from './open-to-read.ts'
import { type Draft, openParent, type ParentFolder } from './open-parent.ts'
import { isWindows, readPath, resolveLinks, showPath, writePath } from './paths.ts'
import { findSmall, findText as textOf, hashOf, newDraft, writeBeside } from './text-file.ts'
import type { UploadSurroundings } from './upload-part.ts'

/** The content and the rights of a file before `putText`. */
export async function findText(path: string, dataFolder: string): Promise<FoundText> {
  return withSentences(async () => {
    await using parent = await openFolder(path, dataFolder)
    const found = await findFile(parent)
    if (found === undefined) return { state: 'missing' }
    const { bytes, stats } = await read(parent)
    if (bytes === undefined) return { state: 'other', reason: `The file was too large: ${stats.size} bytes.` }
    const text = textOf(bytes)
    if (text === undefined) return { state: 'other', reason: 'The file was not UTF-8 text.' }
    return {
      state: 'text',
      text,
      hash: hashOf(bytes),
      mode: isWindows ? null : stats.mode & 0o7777,
      owner: isWindows ? null : `${stats.uid}:${stats.gid}`,
    }
  })
}

/** Writes or deletes a text file, if it still is in the expected state. It is replaced as a whole. */
export async function putText(
  { path, text, hash, mode, owner }: PutText,
  { dataFolder, openParts }: UploadSurroundings,
): Promise<PutResult> {
  return withSentences(async () => {
    refuseRights({ mode, owner })
    const ids = owner === null ? undefined : await findOwner(owner)
    await using parent = await openFolder(path, dataFolder)
    const found = await findFile(parent)
    if (hash !== undefined && hash !== (found === undefined ? null : await hashNow(parent)))
      return { state: 'changed' }
    if (text === null) {
      if (found !== undefined) await parent.removeFile()
      await parent.sync()
      return { state: 'written' }
    }
    const draft = newDraft()
    const draftPath = writePath([...parent.names.slice(0, -1), draft])
    // If the agent is killed before the end, it is removed later.
    openParts.remember(draftPath)
    try {
      await writeBeside(parent, draft, {
        fill: (handle) => handle.writeFile(text),
        setRights: (written) => setRights(parent, written, { found, mode, ids }),
        take: (written) => parent.take(written, found),
      })
    } finally {
      openParts.release(draftPath)
    }
    return { state: 'written' }
  })
}

const NEW_FILE_MODE = 0o644

export function refuseRights({ mode, owner }: { mode: number | null; owner: string | null }): void {
  if (isWindows && (mode ?? owner) !== null)
    throw new AgentError('Windows has access lists instead of modes and owners.')
}

/** Gives a draft the rights of the file that it replaces, and those that were chosen. */
export async function setRights(
  parent: ParentFolder,
  draft: Draft,
  { found, mode, ids }: { found: Stats | undefined; mode: number | null; ids: OwnerIds | undefined },
): Promise<void> {
  const { handle } = draft
  if (found !== undefined) await parent.copyRights(draft, found)
  if (isWindows) return
  // Changing the owner clears the bits setuid and setgid, so the mode comes last.
  if (ids !== undefined) await handle.chown(ids.uid, ids.gid ?? (await handle.stat()).gid)
  await handle.chmod(mode ?? (found === undefined ? NEW_FILE_MODE : found.mode & 0o777))
}

/** The folder of a file, with links on the way to it resolved. */
export async function openFolder(rawPath: string, dataFolder: string): Promise<ParentFolder> {
  const names = readPath(rawPath)
  const name = names.at(-1)
  const above = names.slice(0, -1)
  // The root itself is refused by openParent.
  if (name === undefined || above.length === 0) return openParent(rawPath, dataFolder)
  const folder = await resolveLinks(above).catch((cause: unknown) => {
    if (errorCode(cause) !== 'ENOENT') throw cause
    throw new AgentError(`The folder "${showBytes(showPath(above))}" does not exist.`, { cause })
  })
  return openParent(writePath([...folder, name]), dataFolder)
}

/** Throws AgentError unless it is a regular file with one name. */
export async function findFile(parent: ParentFolder): Promise<Stats | undefined> {
  const found = await lstat(parent.at()).catch((cause: unknown) => {
    if (errorCode(cause) === 'ENOENT') return undefined
    throw cause
  })
  if (found === undefined) return undefined
  const kind = kindOf(found)
  if (kind === 'link') throw describeFileError(Object.assign(new Error('a link'), { code: 'ELOOP' }))
  refuseSpecial(kind)
  refuseLinked(found)
  return found
}

/** The file is closed at once: Windows replaces no open file. */
async function read(parent: ParentFolder): Promise<{ bytes: Buffer | undefined; stats: Stats }> {
  await using handle: FileHandle = await parent.open(constants.O_RDONLY)
  return { stats: await handle.stat(), bytes: await findSmall(handle) }
}

/** Undefined = too large to have an expected hash. */
async function hashNow(parent: ParentFolder): Promise<string | undefined> {
  const { bytes } = await read(parent)
  return bytes === undefined ? undefined : hashOf(bytes)
}

interface OwnerIds {
  uid: number
  gid: number | undefined
}

/** The numbers of `user` or `user:group`. */
export async function findOwner(owner: string): Promise<OwnerIds> {
  const [user = '', group] = owner.split(':')
  const uid = isNumber(user) ? Number(user) : await findUser(user)
  if (uid === undefined) throw new AgentError(`The user "${user}" does not exist.`)
  if (group === undefined) return { uid, gid: undefined }
  const gid = isNumber(group) ? Number(group) : await findGroup(group)
  if (gid === undefined) throw new AgentError(`The group "${group}" does not exist.`)
  return { uid, gid }
}

const isNumber = (text: string) => /^\d{1,9}$/.test(text)
const LIMIT_MS = 5000

async function findUser(name: string): Promise<number | undefined> {
  const answer = await ask('id', ['-u', name])
  return isNumber(answer) ? Number(answer) : undefined
}

/** From /etc/group or a directory service. */
async function findGroup(name: string): Promise<number | undefined> {
  const local = await readFile('/etc/group', 'utf8').catch(() => '')
  const rows = local.split('\n').some((row) => row.startsWith(`${name}:`))
    ? local
    : await ask('getent', ['group', name])
  const row = rows.split('\n').find((line) => line.startsWith(`${name}:`))
  const gid = row?.split(':')[2] ?? ''
  return isNumber(gid) ? Number(gid) : undefined
}

/** Empty if the tool fails, which it does for unknown names. */
async function ask(tool: string, args: string[]): Promise<string> {
  try {
    const { stdout } = await runTool(tool, args, {
      signal: AbortSignal.timeout(LIMIT_MS),
      timeoutMs: LIMIT_MS,
    })
    return stdout.trim()
  } catch {
    return ''
  }
}
