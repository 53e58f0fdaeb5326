import { AgentError } from '../../errors.ts'
import { firstLine, runTool } from '../../os/run-tool.ts'
import type { EntryStats } from './describe-entry.ts'
import { findNetworkMount, type NetworkMounts } from './network-mounts.ts'

/** Users wait for a list. */
const LIMIT_MS = 3000

/** Describes paths on network mounts by a program that is killed if it gets no answer. For one list. */
export class MountStats {
  #mounts: NetworkMounts
  #silent = new Set<string>()

  constructor(mounts: NetworkMounts) {
    this.#mounts = mounts
  }

  isMount(path: Buffer): boolean {
    return this.#mounts.size > 0 && this.#mounts.has(path.toString('latin1'))
  }

  findMount(path: Buffer): Promise<string | undefined> {
    return findNetworkMount(path, this.#mounts)
  }

  /** Undefined = the mount does not respond. Throws AgentError for what the program cannot describe. */
  async stat(
    path: Buffer,
    { mount, followsLinks }: { mount: string; followsLinks: boolean },
  ): Promise<EntryStats | undefined> {
    if (this.#silent.has(mount)) return undefined
    const text = path.toString()
    if (!Buffer.from(text).equals(path)) throw new AgentError('Its name is not UTF-8.')
    const args = [...(followsLinks ? ['-L'] : []), '-c', '%f %s %Y %u %g', '--', text]
    const { code, stdout, stderr, timedOut } = await runTool('stat', args, {
      signal: AbortSignal.timeout(2 * LIMIT_MS),
      timeoutMs: LIMIT_MS,
    })
    if (timedOut) {
      this.#silent.add(mount)
      return undefined
    }
    const [, mode, size, seconds, uid, gid] = /^([0-9a-f]+) (\d+) (-?\d+) (\d+) (\d+)\n$/.exec(stdout) ?? []
    if (code !== 0 || mode === undefined) throw new AgentError(firstLine(stderr).split(': ').at(-1) ?? '')
    return {
      mode: Number.parseInt(mode, 16),
      size: Number(size),
      mtimeMs: Number(seconds) * 1000,
      uid: Number(uid),
      gid: Number(gid),
    }
  }
}
