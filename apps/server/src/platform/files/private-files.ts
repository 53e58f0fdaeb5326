import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@muster/contract/errors'
import type { Log } from '../log/log.ts'

const PRIVATE_UMASK = 0o077
const FOR_OTHERS = 0o077
const STICKY = 0o1000
/** Files that must not be readable by others, even if the folder was open before. */
const SENSITIVE_FILES = ['secret.key', 'muster.db', 'muster.db-wal', 'muster.db-shm']
const OWN_FILE = /^(secret\.key|muster\.(db|lock|pid))/

let startUmask: number | undefined

/** Makes new files readable by the user of this process only. Call it before anything else. */
export function keepFilesPrivate(): void {
  startUmask ??= process.umask(PRIVATE_UMASK)
}

/** Starts a child with the umask that the server itself was started with. `start` must be synchronous. */
export function withStartUmask<Child>(start: () => Child): Child {
  if (startUmask === undefined) return start()
  const own = process.umask(startUmask)
  try {
    return start()
  } finally {
    process.umask(own)
  }
}

/**
 * Creates the data folder, or removes the rights of other users from an existing one. Throws if that is not possible,
 * and if the folder seems to be shared with other programs, such as `/tmp`.
 */
export function makeDataFolderPrivate(folder: string, log: Log): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (process.platform === 'win32') return
    const before = statSync(folder).mode
    if ((before & FOR_OTHERS) !== 0) {
      refuseShared(folder, before)
      makePrivate(folder, 0o700)
    }
    const files = SENSITIVE_FILES.map((name) => join(folder, name)).filter(isOpenToOthers)
    for (const file of files) makePrivate(file, 0o600)
    if ((before & FOR_OTHERS) !== 0 || files.length > 0)
      log.warn({ folder, files }, 'data folder was readable by other users, corrected')
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('unavailable', `the data folder ${folder} cannot be used: ${reason}`, { cause })
  }
}

function refuseShared(folder: string, mode: number): void {
  const names = readdirSync(folder)
  if ((mode & STICKY) === 0 && (names.length === 0 || names.some((name) => OWN_FILE.test(name)))) return
  throw new AppError(
    'unavailable',
    `the data folder ${folder} is open to other users and holds other files: choose another one, or run chmod 700 ${folder}`,
  )
}

function makePrivate(path: string, mode: number): void {
  chmodSync(path, mode)
  // Some file systems accept the change without effect.
  if (!isOpenToOthers(path)) return
  throw new AppError(
    'unavailable',
    `${path} is open to other users and its file system does not allow a change: choose another MUSTER_DATA`,
  )
}

function isOpenToOthers(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  return (mode & FOR_OTHERS) !== 0
}
