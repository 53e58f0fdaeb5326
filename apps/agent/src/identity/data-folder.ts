import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '../errors.ts'
import { describeError } from '../log/log.ts'

const FOR_OTHERS = 0o077
const STICKY = 0o1000

export const dataFiles = {
  identity: 'agent.json',
  key: 'key.pem',
  machineId: 'machine-id',
  state: 'state.db',
  lock: 'agent.lock',
  status: 'status.json',
  runs: 'run',
  snapshots: 'receipts',
  pushed: 'pushed-files',
  uploads: 'uploads',
  codeCache: 'code-cache',
  installation: 'installation.json',
  enrolment: 'enrolment.json',
  log: 'agent.log',
} as const

export function makeDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
}

/** Files that must not be readable by other users even if the folder was open before. */
const SENSITIVE_FILES = [
  dataFiles.identity,
  dataFiles.key,
  dataFiles.state,
  `${dataFiles.state}-wal`,
  `${dataFiles.state}-shm`,
]
/** Everything that the agent and its installer store in a data folder. */
const OWN_NAMES: ReadonlySet<string> = new Set([...Object.values(dataFiles), 'program', 'server-ca.pem'])

/**
 * Removes access for other users from an existing data folder, and returns what to log if there was any. Throws
 * CliError if that fails, or if the folder seems to be shared with other programs (`/tmp`).
 */
export function closeDataFolder(folder: string): string | undefined {
  const before = statSync(folder, { throwIfNoEntry: false })?.mode
  if (before === undefined || process.platform === 'win32') return undefined
  const isOpen = (before & FOR_OTHERS) !== 0
  if (isOpen) {
    refuseShared(folder, before)
    makePrivate(folder, 0o700)
  }
  const files = SENSITIVE_FILES.map((name) => join(folder, name)).filter(isOpenToOthers)
  for (const file of files) makePrivate(file, 0o600)
  return isOpen || files.length > 0 ? 'removed access of other users to the data folder' : undefined
}

function refuseShared(folder: string, mode: number): void {
  const names = readdirSync(folder)
  if ((mode & STICKY) === 0 && (names.length === 0 || names.some((name) => OWN_NAMES.has(name)))) return
  throw new CliError(
    `the data folder ${folder} is open to other users and contains other files. Choose another folder, or run chmod 700 ${folder}`,
  )
}

function makePrivate(path: string, mode: number): void {
  try {
    chmodSync(path, mode)
  } catch (cause) {
    throw new CliError(
      `${path} is open to other users and its permissions cannot be changed: ${describeError(cause)}`,
      {
        cause,
      },
    )
  }
  // Some file systems accept the change and keep their permissions.
  if (isOpenToOthers(path))
    throw new CliError(
      `${path} is open to other users and its file system has no permissions. Choose another --data`,
    )
}

function isOpenToOthers(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & FOR_OTHERS) !== 0
}

/** Replaces a file atomically. Only this user can read it. */
export function writePrivateFile(folder: string, name: string, text: string): void {
  const file = join(folder, name)
  const draft = `${file}.${process.pid}.new`
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    renameSync(draft, file)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw cause
  }
}
