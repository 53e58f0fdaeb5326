import { constants, type Dir } from 'node:fs'
import { chmod, lstat, opendir } from 'node:fs/promises'
import type { FileChange } from '@muster/contract/agent/files'
import { showBytes } from '@muster/rules/agents/raw-path'
import { AgentError } from '../../errors.ts'
import { kindOf } from './describe-entry.ts'
import { withSentences } from './file-errors.ts'
import type { FileSurroundings } from './file-operations.ts'
import type { NetworkMounts } from './network-mounts.ts'
import { openParent, type ParentFolder } from './open-parent.ts'
import { isWindows, refuseAround, showPath } from './paths.ts'

const { O_RDONLY } = constants
/** O_PATH refers to a file without opening it. Node has no constant for it. */
const O_PATH = 0o10_000_000

/** Applies one change to a folder. Returns the number of affected files and folders. */
export async function changeFile(
  change: FileChange,
  { dataFolder, networkMounts }: Pick<FileSurroundings, 'dataFolder' | 'networkMounts'>,
): Promise<{ count: number }> {
  return withSentences(async () => {
    await using parent = await openParent(change.path, dataFolder)
    switch (change.change) {
      case 'make-folder':
        await parent.prepareNew()
        await parent.makeFolder()
        return { count: 1 }
      case 'move': {
        await refuseAround(parent.names, dataFolder)
        await using target = await openParent(change.to, dataFolder)
        await target.prepareNew()
        await parent.move(target)
        return { count: 1 }
      }
      case 'delete':
        await refuseAround(parent.names, dataFolder)
        refuseMounts(parent.names, networkMounts)
        return { count: await removeTree(parent) }
      case 'set-mode':
        await setMode(parent, change.mode)
        return { count: 1 }
    }
  })
}

/** Just looking at one of them may take forever. */
function refuseMounts(names: readonly Buffer[], mounts: NetworkMounts): void {
  const folder = `${showPath(names).toString('latin1')}/`
  const inside = [...mounts].find((mount) => mount.startsWith(folder))
  if (inside === undefined) return
  const shown = showBytes(Buffer.from(inside, 'latin1'))
  throw new AgentError(`The network drive "${shown}" is mounted in this folder. Unmount it first.`)
}

async function setMode(parent: ParentFolder, mode: number): Promise<void> {
  if (isWindows) throw new AgentError('Windows has access lists instead of modes.')
  const isLinux = process.platform === 'linux'
  await using handle = await parent.open(isLinux ? O_PATH : O_RDONLY)
  const kind = kindOf(await handle.stat())
  if (kind === 'link') throw new AgentError('A link has no permissions of its own.')
  const change = () => (isLinux ? chmod(`/proc/self/fd/${handle.fd}`, mode) : handle.chmod(mode))
  await parent.attempt(change)
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
    await parent.removeFile(name)
    return 1
  }
  if (device !== undefined && found.dev !== device)
    throw new AgentError('Another disk is mounted in this folder. Entries before it were deleted.')
  const count = await removeContent(parent, name, found.dev)
  await parent.removeFolder(name)
  return count + 1
}

async function removeContent(parent: ParentFolder, name: Buffer, device: number): Promise<number> {
  let count = 0
  await using inside = await parent.enter(name)
  // Buffers instead of strings, which the types do not cover.
  const options = { encoding: 'buffer', bufferSize: READ_AT_ONCE } as unknown as { bufferSize: number }
  const folder = (await opendir(inside.folder, options)) as unknown as Dir
  for await (const entry of folder) count += await removeTree(inside, entry.name as unknown as Buffer, device)
  return count
}
