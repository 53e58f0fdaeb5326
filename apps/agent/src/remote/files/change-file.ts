import { constants, type Dir, mkdirSync } from 'node:fs'
import { chmod, link, lstat, open, opendir, rename, rmdir, unlink } from 'node:fs/promises'
import type { FileChange } from '@muster/contract/agent/files'
import { AgentError } from '../../errors.ts'
import { withStartUmask } from '../../os/umask.ts'
import { kindOf } from './describe-entry.ts'
import { errorCode, withSentences } from './file-errors.ts'
import { openParent, type ParentFolder } from './open-parent.ts'
import { refuseAround } from './paths.ts'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
/** O_PATH refers to a file without opening it. Node has no constant for it. */
const O_PATH = 0o10_000_000

/** Applies one change to a folder. Returns the number of affected files and folders. */
export async function changeFile(change: FileChange, dataFolder: string): Promise<{ count: number }> {
  return withSentences(async () => {
    await using parent = await openParent(change.path, dataFolder)
    switch (change.change) {
      case 'make-folder':
        withStartUmask(() => mkdirSync(parent.at(), { mode: 0o755 }))
        return { count: 1 }
      case 'move': {
        await refuseAround(parent.path, dataFolder)
        await using target = await openParent(change.to, dataFolder)
        await move(parent, target)
        return { count: 1 }
      }
      case 'delete':
        await refuseAround(parent.path, dataFolder)
        return { count: await removeTree(parent) }
      case 'set-mode':
        await setMode(parent, change.mode)
        return { count: 1 }
    }
  })
}

/** Never overwrites. */
async function move(from: ParentFolder, to: ParentFolder): Promise<void> {
  const found = await lstat(from.at())
  if (!found.isDirectory()) return moveFile(from, to)
  const there = await lstat(to.at()).catch(() => undefined)
  if (there !== undefined) throw new AgentError('A file or folder with this name already exists.')
  await rename(from.at(), to.at())
}

/** A hard link and then an unlink: unlike a rename, this never overwrites. */
export async function moveFile(
  from: ParentFolder,
  to: ParentFolder,
  source: Buffer = from.at(),
): Promise<void> {
  try {
    await link(source, to.at())
  } catch (cause) {
    // Not all file systems support hard links.
    if (!['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'EMLINK'].includes(errorCode(cause) ?? '')) throw cause
    if ((await lstat(to.at()).catch(() => undefined)) !== undefined)
      throw new AgentError('A file or folder with this name already exists.', { cause })
    return rename(source, to.at())
  }
  await unlink(source)
}

async function setMode(parent: ParentFolder, mode: number): Promise<void> {
  const isLinux = process.platform === 'linux'
  const how = isLinux ? O_PATH | O_NOFOLLOW : O_RDONLY | O_NOFOLLOW | O_NONBLOCK
  await using handle = await open(parent.at(), how)
  const kind = kindOf(await handle.stat())
  if (kind === 'link') throw new AgentError('A link has no permissions of its own.')
  if (isLinux) await chmod(`/proc/self/fd/${handle.fd}`, mode)
  else await handle.chmod(mode)
}

/** Names read from the system at a time. */
const READ_AT_ONCE = 256

/**
 * Removes a file, or a folder with everything in it, and returns the number of removed entries. Never follows a
 * link, whenever it appears, and never enters another file system.
 */
export async function removeTree(parent: ParentFolder, name = parent.name, device?: number): Promise<number> {
  const found = await lstat(parent.at(name))
  if (!found.isDirectory()) {
    await unlink(parent.at(name))
    return 1
  }
  if (device !== undefined && found.dev !== device)
    throw new AgentError('Another disk is mounted in this folder. Entries before it were deleted.')
  const count = await removeContent(parent, name, found.dev)
  await rmdir(parent.at(name))
  return count + 1
}

async function removeContent(parent: ParentFolder, name: Buffer, device: number): Promise<number> {
  let count = 0
  await using inside = await parent.enter(name)
  // Buffers instead of strings, which the types do not cover.
  const options = { encoding: 'buffer', bufferSize: READ_AT_ONCE } as unknown as { bufferSize: number }
  const folder = (await opendir(inside.at(Buffer.from('.')), options)) as unknown as Dir
  for await (const entry of folder) count += await removeTree(inside, entry.name as unknown as Buffer, device)
  return count
}
