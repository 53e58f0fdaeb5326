import { statfs } from 'node:fs/promises'
import { askDisk } from './ask-disk.ts'
import type { MountSpace } from './probes.ts'

/** Undefined if the path does not exist. */
export async function measureMountSpace(mount: string): Promise<MountSpace | undefined> {
  try {
    const stats = await askDisk(mount, () => statfs(mount))
    return {
      totalBytes: stats.blocks * stats.bsize,
      freeBytes: stats.bavail * stats.bsize,
      inodes: stats.files > 0 ? { total: stats.files, free: Math.min(stats.ffree, stats.files) } : null,
    }
  } catch (cause) {
    if (isGone(cause)) return undefined
    throw cause
  }
}

/** Returns whether a path does not exist, or its drive has no disk. */
export function isGone(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && GONE.has(String(cause.code))
}

const GONE = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'ENXIO', 'UNKNOWN'])
