import type { Stats } from 'node:fs'
import { type FileHandle, unlink } from 'node:fs/promises'
import { showBytes } from '@muster/rules/agents/raw-path'
import { AgentError } from '../../errors.ts'
import { describeFileError, passOver } from './file-errors.ts'

interface Overwriting {
  target: FileHandle
  /** Has the new content, owner and mode. */
  draft: FileHandle
  /** An empty file for the former content, and where it is. */
  former: { handle: FileHandle; path: Buffer; shown: Buffer }
}

/**
 * Gives an open file the content, owner and mode of a draft. Its name, access list, attributes and mount stay. Other
 * programs may read a part of the new content meanwhile. The former content is on disk before the first byte is written,
 * and is restored on failure; if the agent is killed, or the disk fails for good, its copy stays beside the file.
 */
export async function overwriteFile({ target, draft, former }: Overwriting): Promise<void> {
  const before = await target.stat()
  const { uid, gid, mode } = await draft.stat()
  const isOther = before.uid !== uid || before.gid !== gid || before.mode !== mode
  try {
    await copyContent(former.handle, target)
  } catch (cause) {
    await unlink(former.path).catch(passOver('ENOENT'))
    throw cause
  }
  try {
    // Nobody gets the old content by the new rights, or the new content by the old ones.
    if (isOther) await target.chmod(before.mode & mode & 0o777)
    await copyContent(target, draft)
    if (isOther) {
      await target.chown(uid, gid)
      await target.chmod(mode & 0o7777)
      await target.sync()
    }
  } catch (cause) {
    await restore({ target, former, rights: isOther ? before : undefined }, cause)
    throw cause
  }
  await unlink(former.path).catch(passOver('ENOENT'))
}

async function restore(
  { target, former, rights }: Pick<Overwriting, 'target' | 'former'> & { rights: Stats | undefined },
  reason: unknown,
): Promise<void> {
  try {
    await copyContent(target, former.handle)
    if (rights !== undefined) {
      await target.chown(rights.uid, rights.gid)
      await target.chmod(rights.mode & 0o7777)
    }
  } catch (cause) {
    const { message } = describeFileError(reason)
    throw new AgentError(`${message} The former content of the file is in "${showBytes(former.shown)}".`, {
      cause,
    })
  }
  await unlink(former.path).catch(passOver('ENOENT'))
}

const PIECE_BYTES = 256 * 1024

/** Shortened last: what a file has already, it needs no free space for. */
async function copyContent(to: FileHandle, from: FileHandle): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES)
  let at = 0
  for (;;) {
    const { bytesRead } = await from.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) break
    // A disk that is nearly full may write less.
    for (let done = 0; done < bytesRead;)
      done += (await to.write(buffer, done, bytesRead - done, at + done)).bytesWritten
    at += bytesRead
  }
  await to.truncate(at)
  await to.sync()
}
