import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '@muster/contract/errors'

const SQLITE_BUSY = 5

/** References to held locks: a garbage-collected database object would close its file and release the folder. */
const held = new Set<DatabaseSync>()

/**
 * Makes this process the only server on a data folder until the lock is disposed or the process ends.
 *
 * The lock is an exclusive transaction on an otherwise empty SQLite file. The operating system releases it when the
 * process dies for any reason, so no stale file needs to be removed by hand. `muster.pid` next to it only names the
 * holder.
 */
export function lockDataFolder(folder: string): Disposable {
  const pidFile = join(folder, 'muster.pid')
  const lock = takeLock(folder, pidFile)
  held.add(lock)
  return {
    [Symbol.dispose]() {
      if (held.delete(lock)) lock.close()
    },
  }
}

function takeLock(folder: string, pidFile: string): DatabaseSync {
  let lock: DatabaseSync | undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    lock = new DatabaseSync(join(folder, 'muster.lock'), { timeout: 0 })
    lock.exec('begin exclusive')
    writeFileSync(pidFile, `${process.pid}\n`)
    return lock
  } catch (cause) {
    lock?.close()
    if (isBusy(cause)) {
      throw new AppError('conflict', `another Muster server${describeHolder(pidFile)} is using ${folder}`, {
        cause,
      })
    }
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('unavailable', `the data folder ${folder} cannot be used: ${reason}`, { cause })
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

function describeHolder(pidFile: string): string {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
    return Number.isNaN(pid) ? '' : ` (process ${pid})`
  } catch {
    // The holder took the lock a moment ago and has not written its process id yet.
    return ''
  }
}
