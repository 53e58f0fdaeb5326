import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CliError } from '../errors.ts'
import { dataFiles } from '../identity/data-folder.ts'
import type { Log } from '../log/log.ts'

const SQLITE_BUSY = 5
/** Held locks stay referenced: garbage collection of the database would release the lock. */
const held = new Set<DatabaseSync>()

/**
 * Makes this process the only agent with a data folder until it exits: the lock is an exclusive transaction on an
 * empty SQLite file. On a read-only disk the agent continues without it.
 */
export function lockDataFolder(folder: string, log: Log): Disposable {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(join(folder, dataFiles.lock), { timeout: 0 })
    lock.exec('begin exclusive')
  } catch (cause) {
    lock?.close()
    if (isBusy(cause)) throw new CliError(`another agent is running with ${folder}`, { cause })
    log.warn({ folder, cause }, 'failed to lock the data folder')
    return { [Symbol.dispose]() {} }
  }
  const taken = lock
  held.add(taken)
  return {
    [Symbol.dispose]() {
      if (held.delete(taken)) taken.close()
    },
  }
}

/** Whether an agent is running with this data folder. */
export function isLocked(folder: string): boolean {
  try {
    using lock = new DatabaseSync(join(folder, dataFiles.lock), { timeout: 0, readOnly: true })
    lock.prepare('select count(*) from sqlite_schema').get()
    return false
  } catch (cause) {
    return isBusy(cause)
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}
