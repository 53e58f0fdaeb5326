import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { Disk } from '@muster/contract/agent/facts'
import { usedPercent } from '@muster/rules/agents/disk-shares'
import type { z } from 'zod'
import { isGone, sizesOf } from './disk-calls.ts'

type DiskSizes = z.infer<typeof Disk>
export interface Mount {
  device: string
  mount: string
  fstype: string
}

const TIMEOUT_MS = 5000
/** Calls without a result so far. Each blocks a thread, so later callers wait for the same call. */
const pending = new Map<string, Promise<StatsFs | 'gone' | 'failed'>>()
/** The last result of every disk, for a call that fails. */
const lastSizes = new Map<string, DiskSizes>()

/** Returns the sizes of mounted disks. Left out: disks that are empty, gone, or have never responded. */
export async function measureDisks(mounts: Mount[], readStats = statfsOf): Promise<DiskSizes[]> {
  const mounted = new Set(mounts.map(({ mount }) => mount))
  for (const mount of lastSizes.keys()) if (!mounted.has(mount)) lastSizes.delete(mount)
  const measured = await Promise.all(mounts.map((mount) => measureDisk(mount, readStats)))
  return measured.filter((disk) => disk !== undefined)
}

const statfsOf = (path: string): Promise<StatsFs> => statfs(path)

async function measureDisk(mount: Mount, readStats: typeof statfsOf): Promise<DiskSizes | undefined> {
  const path = mount.mount
  const asked = pending.get(path) ?? callOnce(path, readStats)
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<'failed'>((resolve) => (timer = setTimeout(resolve, TIMEOUT_MS, 'failed')))
  const stats = await Promise.race([asked, timeout])
  clearTimeout(timer)
  if (stats === 'failed') return lastSizes.get(path)
  if (stats === 'gone' || stats.blocks === 0) {
    lastSizes.delete(path)
    return undefined
  }
  const sizes = sizesOf(stats)
  const disk = { ...mount, ...sizes, percent: Math.round(usedPercent(sizes) * 10) / 10 }
  lastSizes.set(path, disk)
  return disk
}

function callOnce(path: string, readStats: typeof statfsOf): Promise<StatsFs | 'gone' | 'failed'> {
  const asked = readStats(path)
    .catch((cause: unknown) => (isGone(cause) ? 'gone' : 'failed'))
    .finally(() => pending.delete(path))
  pending.set(path, asked)
  return asked
}
