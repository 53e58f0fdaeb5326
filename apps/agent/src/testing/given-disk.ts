import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { givenFolder } from './given.ts'

export interface BadDisk {
  folder: string
  /** Makes every further write fail. */
  spoil: () => void
  repair: () => void
}

/**
 * A folder on a disk of 1 MB that can be filled. Without permission to mount, a folder that can be made read-only.
 */
export function givenBadDisk(): BadDisk {
  const folder = givenFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'none', folder], { stdio: 'ignore' })
  } catch (cause) {
    if (process.getuid?.() === 0) throw cause
    return { folder, spoil: () => chmodSync(folder, 0o500), repair: () => chmodSync(folder, 0o700) }
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  const filler = join(folder, 'filler')
  return {
    folder,
    spoil() {
      for (const size of [65_536, 4096, 512, 64]) fill(filler, Buffer.alloc(size))
    },
    repair: () => rmSync(filler, { force: true }),
  }
}

function fill(file: string, block: Buffer): void {
  try {
    for (;;) appendFileSync(file, block)
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC')) throw cause
  }
}

/** Mounts a file on another one, as /etc/hosts in a container. Returns false without the permission to do so. */
export function givenBindMount(source: string, target: string): boolean {
  if (process.getuid?.() !== 0) return false
  execFileSync('mount', ['--bind', source, target])
  onTestFinished(() => void execFileSync('umount', ['-l', target]))
  return true
}
