import { type FileHandle, readlink } from 'node:fs/promises'
import { runTool } from '../../os/run-tool.ts'

const LIMIT_MS = 10_000

/**
 * Gives a draft the access list and the extended attributes of the file that it will replace. Owner and mode of the
 * draft stay. Returns false if that is not possible here. Node cannot read extended attributes, so `cp` does it: the one
 * of GNU knows how, those of BusyBox and macOS do not.
 */
export async function copyAttributes(from: FileHandle, to: FileHandle): Promise<boolean> {
  if (process.platform !== 'linux') return false
  const { uid, gid, mode } = await to.stat()
  // The number of this process as /proc counts, which may be that of another container.
  const self = await readlink('/proc/self')
  const [source, target] = [from, to].map(({ fd }) => `/proc/${self}/fd/${fd}`)
  const args = ['--attributes-only', '--preserve=mode,xattr', '--', source ?? '', target ?? '']
  const signal = AbortSignal.timeout(LIMIT_MS)
  const isCopied = await runTool('cp', args, { signal, timeoutMs: LIMIT_MS }).then(
    ({ code }) => code === 0,
    () => false,
  )
  // Capabilities of a program belong to its former content. The kernel removes them when the owner is set, and when
  // bytes are written. `cp` needs the mode for the access list, and takes set-user-id with it.
  await to.chown(uid, gid)
  await to.chmod(mode & 0o7777)
  return isCopied
}
