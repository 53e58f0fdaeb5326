import { existsSync } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '@muster/contract/errors'
import type { Config } from '../../platform/config/config.ts'
import { openDatabase } from '../../platform/database/open-database.ts'
import { type BackupItem, checkItems, encodeItem, readBackup, type Totals } from './backup-items.ts'
import { readDataFiles } from './data-files.ts'
import { readTables } from './read-tables.ts'
import { SealedWriter } from './sealed-stream.ts'
import { refuseUnfinishedRestore } from './unfinished-restore.ts'

export type Source = Pick<Config, 'dataFolder' | 'databaseUrl' | 'tls'>

/** The size on disk beside what the file holds. */
export type BackupResult = Totals & { size: number }

/**
 * Writes a backup of a running or stopped server, reads it back, and only then gives it its name. Throws an AppError if
 * that name is taken, and whenever anything is wrong.
 */
export async function makeBackup(
  source: Source,
  { path, passphrase, except = [] }: { path: string; passphrase: string; except?: readonly string[] },
): Promise<BackupResult> {
  const partial = `${path}.partial`
  if (existsSync(path)) throw new AppError('conflict', `${path} exists. Choose another name.`)
  refuseUnfinishedRestore(source.dataFolder)
  const needed = source.databaseUrl === undefined ? ['secret.key', 'muster.db'] : ['secret.key']
  const missing = needed.find((name) => !existsSync(join(source.dataFolder, name)))
  if (missing !== undefined)
    throw new AppError(
      'not_found',
      `${source.dataFolder} holds no ${missing}. Set MUSTER_DATA to the data folder of the server.`,
    )
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const written = await writeBackup(source, {
      path: partial,
      passphrase,
      except: [path, partial, ...except],
    })
    const read = await verifyBackup(partial, passphrase)
    if (JSON.stringify(read) !== JSON.stringify(written))
      throw new Error('The file differs from what was written to it.')
    const { size } = await stat(partial)
    await rename(partial, path)
    return { ...read, size }
  } catch (error) {
    // The reason counts, not a failure to clean up after it.
    await rm(partial, { force: true }).catch(() => undefined)
    throw explain(error, path)
  }
}

/** Reads a whole backup: every chunk, row and file. Throws an AppError that says what is wrong with it. */
export async function verifyBackup(path: string, passphrase: string): Promise<Totals> {
  const items = checkItems(readBackup(path, passphrase), path)
  for (;;) {
    const { done, value } = await items.next()
    if (done === true) return value
  }
}

async function writeBackup(
  source: Source,
  { path, passphrase, except }: { path: string; passphrase: string; except: readonly string[] },
): Promise<Totals> {
  const totals: Totals = { tables: 0, rows: 0, files: 0, bytes: 0 }
  await using file = await SealedWriter.create(path, passphrase)
  const add = async (item: BackupItem) => file.write(await encodeItem(item))
  {
    await using database = await openDatabase<unknown>(source.databaseUrl, source.dataFolder)
    for await (const item of readTables(database)) {
      await add(item)
      if (item.type !== 'table-end') continue
      totals.tables += 1
      totals.rows += item.rows
    }
  }
  // After the database, whose rows name files: those of later rows are deleted as unknown after the restore.
  for await (const item of readDataFiles(source, except)) {
    await add(item)
    if (item.type !== 'file-end') continue
    totals.files += 1
    totals.bytes += item.bytes
  }
  await add({ type: 'end', ...totals })
  await file.end()
  return totals
}

function explain(error: unknown, path: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const isFull = 'code' in error && error.code === 'ENOSPC'
  const reason = isFull ? 'The disk is full.' : error.message
  return new AppError('unavailable', `Failed to write the backup ${path}: ${reason}`, { cause: error })
}
