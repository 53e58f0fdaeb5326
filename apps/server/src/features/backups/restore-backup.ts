import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '@muster/contract/errors'
import type { Config } from '../../platform/config/config.ts'
import { lockDataFolder } from '../../platform/database/lock.ts'
import { openDatabase } from '../../platform/database/open-database.ts'
import { type FileItem, readBackup, type Totals } from './backup-items.ts'
import { TLS_FOLDER } from './data-files.ts'
import { verifyBackup } from './make-backup.ts'
import { RESTORE_MARKER } from './unfinished-restore.ts'
import { refuseNewerSchema, refuseUsedDatabase, writeTables } from './write-tables.ts'

/** The lock that a restore takes itself. */
const LOCK_FILE = /^muster\.(lock|pid)/

export type RestoreResult = Totals & {
  /** The restored certificate and key of the server. */
  tls: { certFile: string; keyFile: string } | undefined
}

/**
 * Restores a backup into an empty data folder and an empty database. The whole file is checked before anything is
 * written. From then on a marker in the folder keeps servers from starting; it goes when everything is written and was
 * compared. A restore that was interrupted starts over.
 */
export async function restoreBackup(
  target: Pick<Config, 'dataFolder' | 'databaseUrl'>,
  { path, passphrase }: { path: string; passphrase: string },
): Promise<RestoreResult> {
  const { dataFolder, databaseUrl } = target
  if (!existsSync(path)) throw new AppError('not_found', `${path} does not exist.`)
  await refuseUsedFolder(dataFolder)
  await refuseNewer(path, passphrase)
  const totals = await verifyBackup(path, passphrase)
  using _lock = lockDataFolder(dataFolder)
  // Again, as another restore may have finished meanwhile.
  await refuseUsedFolder(dataFolder)
  if (databaseUrl !== undefined) {
    await using database = await openDatabase<unknown>(databaseUrl, dataFolder)
    await refuseUsedDatabase(database)
  }
  await begin(dataFolder)
  await using files = new FileWriter(dataFolder)
  {
    await using database = await openDatabase<unknown>(databaseUrl, dataFolder)
    await writeTables(database, readBackup(path, passphrase), async (item) => {
      if (item.type !== 'end') await files.write(item)
    })
  }
  await syncFolder(dataFolder)
  await rm(join(dataFolder, RESTORE_MARKER))
  await syncFolder(dataFolder)
  const [certFile, keyFile] = ['cert.pem', 'key.pem'].map((name) => join(dataFolder, TLS_FOLDER, name)) as [
    string,
    string,
  ]
  return { ...totals, tls: existsSync(certFile) ? { certFile, keyFile } : undefined }
}

async function refuseUsedFolder(dataFolder: string): Promise<void> {
  const names = existsSync(dataFolder) ? await readdir(dataFolder) : []
  if (names.includes(RESTORE_MARKER) || names.every((name) => LOCK_FILE.test(name))) return
  throw new AppError(
    'conflict',
    `${dataFolder} is not empty. Set MUSTER_DATA to an empty folder, and try again.`,
  )
}

/** First, so that a new file is not read to its end for nothing. */
async function refuseNewer(path: string, passphrase: string): Promise<void> {
  for await (const item of readBackup(path, passphrase)) {
    if (item.type === 'start') refuseNewerSchema(item.migrations)
    return
  }
}

/** Removes what an interrupted restore has written: the folder was empty before it. */
async function begin(dataFolder: string): Promise<void> {
  const marker = await open(join(dataFolder, RESTORE_MARKER), 'w', 0o600)
  await marker.sync()
  await marker.close()
  for (const name of await readdir(dataFolder))
    if (name !== RESTORE_MARKER && !LOCK_FILE.test(name))
      await rm(join(dataFolder, name), { recursive: true, force: true })
}

class FileWriter implements AsyncDisposable {
  #root: string
  #file: FileHandle | undefined
  #path = ''
  #hash = createHash('sha256')

  constructor(root: string) {
    this.#root = root
  }

  async write(item: FileItem): Promise<void> {
    if (item.type === 'file') {
      const path = join(this.#root, item.path)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      this.#file = await open(path, 'wx', 0o600)
      this.#path = item.path
      this.#hash = createHash('sha256')
    } else if (item.type === 'data') {
      this.#hash.update(item.bytes)
      await this.#file?.appendFile(item.bytes)
    } else {
      if (this.#hash.digest('hex') !== item.hash) throw new Error(`File ${this.#path} differs after writing.`)
      await this.#file?.sync()
      await this.#file?.close()
      this.#file = undefined
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows has no folders to open.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  await folder.sync()
  await folder.close()
}
