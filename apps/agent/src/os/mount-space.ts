import { statfs } from 'node:fs/promises'
import { askDisk } from './ask-disk.ts'
import type { MountSpace } from './probes.ts'

/** Undefined where there is nothing of this name. */
export async function measureMountSpace(mount: string): Promise<MountSpace | undefined> {
  try {
    const stats = await askDisk(mount, () => statfs(mount))
    return {
      totalBytes: stats.blocks * stats.bsize,
      freeBytes: stats.bavail * stats.bsize,
      inodes: stats.files > 0 ? { total: stats.files, free: Math.min(stats.ffree, stats.files) } : null,
    }
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && GONE.has(String(cause.code))) return undefined
    throw cause
  }
}

/** Codes of a place that is not there, or of a drive without a disk. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'ENXIO', 'UNKNOWN'])
