import type { StatsFs } from 'node:fs'
import { realpath, statfs } from 'node:fs/promises'
import { posix } from 'node:path'
import { MeasureError } from '../errors.ts'
import type { MountSpace, NoMount } from './probes.ts'

/** Undefined if the path does not exist. */
export async function measureMountSpace(mount: string): Promise<MountSpace | undefined> {
  try {
    const stats = await withDiskTimeout(mount, () => statfs(mount))
    const { total, used, free } = sizesOf(stats)
    return {
      totalBytes: total,
      usedBytes: used,
      freeBytes: free,
      inodes: stats.files > 0 ? { total: stats.files, free: Math.min(stats.ffree, stats.files) } : null,
    }
  } catch (cause) {
    if (isGone(cause)) return undefined
    throw cause
  }
}

type DiskBlocks = Pick<StatsFs, 'blocks' | 'bfree' | 'bavail' | 'bsize'>

/**
 * Measures the mount at a path, which may be a link to it. Without a mount at the path, the numbers would be those of
 * the disk below the folder. Undefined if the path does not exist.
 */
export async function measureMountAt(
  path: string,
  mounts: ReadonlySet<string>,
): Promise<MountSpace | NoMount | undefined> {
  const plain = posix.normalize(path).replace(/(?<=.)\/$/, '')
  if (mounts.has(plain)) return measureMountSpace(plain)
  const target = await withDiskTimeout(plain, () => realpath(plain)).catch((cause: unknown) => {
    if (isGone(cause)) return undefined
    throw cause
  })
  if (target === undefined) return undefined
  const link = target === plain ? {} : { linkTo: target }
  if (!mounts.has(target)) return { isOn: findMountOf(target, mounts), ...link }
  const space = await measureMountSpace(target)
  return space === undefined ? undefined : { ...space, ...link }
}

function findMountOf(path: string, mounts: ReadonlySet<string>): string {
  for (let folder = path; folder !== '/'; folder = posix.dirname(folder)) {
    if (mounts.has(folder)) return folder
  }
  return '/'
}

/** As in `df`: neither the used nor the free space contains the part reserved for root. */
export function sizesOf({ blocks, bfree, bavail, bsize }: DiskBlocks): {
  total: number
  used: number
  free: number
} {
  // Some file systems report more free blocks than blocks.
  const free = Math.min(bavail, blocks)
  return {
    total: blocks * bsize,
    used: Math.max(0, blocks - Math.max(bfree, free)) * bsize,
    free: free * bsize,
  }
}

/** Returns whether a path does not exist, or its drive has no disk. */
export function isGone(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && GONE.has(String(cause.code))
}

const GONE = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'ENXIO', 'UNKNOWN'])

const PATIENCE_MS = 5000
/**
 * Limit for disk calls that are unanswered at one time. A disk that hangs (a network share) blocks one of the few
 * threads of the process, possibly for hours, and the link needs those threads too.
 */
const MAX_PENDING = 2

const unanswered = new Set<string>()
const waiting = new Set<() => void>()

/** Returns the result of a disk call. Throws MeasureError on timeout. A call that hangs is not repeated. */
export async function withDiskTimeout<Answer>(path: string, ask: () => Promise<Answer>): Promise<Answer> {
  const patience = startTimeout()
  try {
    while (unanswered.has(path) || unanswered.size >= MAX_PENDING) {
      const isFree = Promise.withResolvers<'free'>()
      const wake = () => isFree.resolve('free')
      waiting.add(wake)
      const outcome = await Promise.race([isFree.promise, patience.over])
      waiting.delete(wake)
      if (outcome === 'over') throw silent(path)
    }
    unanswered.add(path)
    const asked = ask().finally(() => {
      unanswered.delete(path)
      for (const wake of waiting) wake()
    })
    // A late failure is ignored.
    asked.catch(() => {})
    const outcome = await Promise.race([asked.then((answer) => ({ answer })), patience.over])
    if (outcome === 'over') throw silent(path)
    return outcome.answer
  } finally {
    patience[Symbol.dispose]()
  }
}

/**
 * Ends this process if a disk call still hangs: Node would wait for its thread. Another program takes the process over,
 * which ends the threads as far as the kernel allows, and exits.
 */
export function endDespiteHangingCalls(code: number): void {
  if (unanswered.size === 0) return
  if (process.platform !== 'win32') process.execve?.('/bin/sh', ['sh', '-c', `exit ${code}`], {})
  process.exit(code)
}

function silent(path: string): MeasureError {
  const where = unanswered.has(path) || unanswered.size === 0 ? path : [...unanswered].join(' and ')
  return new MeasureError(`${where} did not respond within ${PATIENCE_MS / 1000} seconds.`)
}

function startTimeout(): Disposable & { over: Promise<'over'> } {
  const { promise, resolve } = Promise.withResolvers<'over'>()
  const timer = setTimeout(() => resolve('over'), PATIENCE_MS)
  return { over: promise, [Symbol.dispose]: () => clearTimeout(timer) }
}
