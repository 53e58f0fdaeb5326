import type { StatsFs } from 'node:fs'
import type { Disk } from '@muster/contract/agent/facts'
import type { z } from 'zod'

const PATIENCE_MS = 5000
/** Mounts that did not answer yet. Each holds a thread, so none is asked twice. */
const hanging = new Set<string>()

/** Sizes of a mounted disk; undefined when it is gone, empty or does not answer. */
export async function measureDisk(
  mount: { device: string; mount: string; fstype: string },
  statfs: (path: string) => Promise<StatsFs>,
): Promise<z.infer<typeof Disk> | undefined> {
  if (hanging.has(mount.mount)) return undefined
  hanging.add(mount.mount)
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<undefined>(
    (resolve) => (timer = setTimeout(() => resolve(undefined), PATIENCE_MS)),
  )
  const asked = statfs(mount.mount)
    .catch(() => undefined)
    .finally(() => hanging.delete(mount.mount))
  const stats = await Promise.race([asked, patience])
  clearTimeout(timer)
  if (stats === undefined || stats.blocks === 0) return undefined
  const total = stats.blocks * stats.bsize
  const used = total - stats.bfree * stats.bsize
  // As `df` has it: of the space that users can have, without what is reserved for root.
  const free = stats.bavail * stats.bsize
  const percent = Math.min(100, Math.round((used / Math.max(1, used + free)) * 1000) / 10)
  return { ...mount, total, used, free, percent }
}
