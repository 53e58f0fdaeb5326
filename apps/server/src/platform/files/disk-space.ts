import { statfs } from 'node:fs/promises'
import type { Log } from '../log/log.ts'

const CHECK_EVERY_MS = 5000
/** There must be a little more room before the server accepts changes again: it would go back and forth otherwise. */
const ROOM_AGAIN = 1.25

export interface DiskSpace extends Disposable {
  /** Less is free than the server needs to go on: it is read-only. */
  readonly isLow: boolean
  /** Bytes that are free; undefined before the first measurement. */
  readonly free: number | undefined
  /** Measures now, and not only every five seconds. */
  measure(): Promise<void>
  onChange(handler: (isLow: boolean) => void): void
}

/** Watches how much is free where the data folder is. A folder that cannot be measured is never low. */
export function watchDiskSpace(
  folder: string,
  { minBytes, log, readFree = readFreeBytes }: { minBytes: number; log: Log; readFree?: ReadFree },
): DiskSpace {
  let isLow = false
  let free: number | undefined
  const handlers: ((isLow: boolean) => void)[] = []
  const measure = async () => {
    try {
      free = await readFree(folder)
    } catch (error) {
      log.warn({ err: error, folder }, 'the free space of the data folder could not be read')
      return
    }
    const isLowNow = free < (isLow ? minBytes * ROOM_AGAIN : minBytes)
    if (isLowNow === isLow) return
    isLow = isLowNow
    if (isLow) log.error({ free, folder }, 'the disk is nearly full: this server is read-only')
    else log.info({ free, folder }, 'the disk has room again: this server accepts changes')
    for (const handler of handlers) handler(isLow)
  }
  const timer = minBytes > 0 ? setInterval(() => void measure(), CHECK_EVERY_MS).unref() : undefined
  return {
    get isLow() {
      return isLow
    },
    get free() {
      return free
    },
    measure,
    onChange: (handler) => {
      handlers.push(handler)
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

export type ReadFree = (folder: string) => Promise<number>

async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
