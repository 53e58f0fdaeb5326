import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CliError } from '../cli/cli-error.ts'
import { dataFiles } from '../identity/data-folder.ts'
import type { Log } from '../log/log.ts'

const SQLITE_BUSY = 5
/** Held locks stay referenced: a collected database object would free the folder. */
const held = new Set<DatabaseSync>()

/**
 * Makes this process the only agent on a data folder until it ends, however it ends: the lock is an exclusive
 * transaction on an empty SQLite file. On a disk that cannot be written the agent goes on without it.
 */
export function lockDataFolder(folder: string, log: Log): Disposable {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(join(folder, dataFiles.lock), { timeout: 0 })
    lock.exec('begin exclusive')
  } catch (cause) {
    lock?.close()
    if (isBusy(cause)) throw new CliError(`another agent is running on ${folder}`, { cause })
    log.warn({ folder, cause }, 'data folder cannot be locked')
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

/** Whether an agent is running on this data folder. */
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
