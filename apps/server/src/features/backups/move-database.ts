import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@muster/contract/errors'
import { sql } from 'kysely'
import type { Config } from '../../platform/config/config.ts'
import type { Engine } from '../../platform/database/columns.ts'
import { lockDataFolder } from '../../platform/database/lock.ts'
import { openDatabase } from '../../platform/database/open-database.ts'
import { readTables } from './read-tables.ts'
import { refuseUnfinishedRestore } from './unfinished-restore.ts'
import { writeTables } from './write-tables.ts'

/** A server writes its time every two seconds. */
const BEAT_MS = 10_000

/**
 * Copies the database of a stopped server to the other engine: from `muster.db` in the data folder to the empty database
 * at `databaseUrl`, or back. The old one is kept; `muster.db` gets another name, so that no server starts on old data.
 */
export async function moveDatabase(
  { dataFolder, databaseUrl }: Pick<Config, 'dataFolder' | 'databaseUrl'>,
  to: Engine,
): Promise<{ tables: number; rows: number; keptAs: string | undefined }> {
  if (databaseUrl === undefined)
    throw new AppError('invalid', 'Set DATABASE_URL to the address of the PostgreSQL database.')
  refuseUnfinishedRestore(dataFolder)
  const path = join(dataFolder, 'muster.db')
  const hasFile = existsSync(path)
  if (to === 'postgres' && !hasFile)
    throw new AppError('not_found', `${dataFolder} holds no muster.db. Set MUSTER_DATA to the data folder.`)
  if (to === 'sqlite' && hasFile)
    throw new AppError('conflict', `${path} exists. Move it away, and try again.`)
  using _lock = lockDataFolder(dataFolder)
  if (to === 'postgres') {
    const written = await copy({ from: undefined, to: databaseUrl, sourceFolder: dataFolder, dataFolder })
    const time = new Date().toISOString().replaceAll(/[-:]|\..*/g, '')
    const keptAs = join(dataFolder, `muster-moved-${time}.db`)
    await rename(path, keptAs)
    return { ...written, keptAs }
  }
  // The file gets its name when it is complete.
  const draft = join(dataFolder, 'moving')
  await rm(draft, { recursive: true, force: true })
  try {
    await mkdir(draft, { mode: 0o700 })
    const written = await copy({
      from: databaseUrl,
      to: undefined,
      sourceFolder: dataFolder,
      dataFolder: draft,
    })
    await rename(join(draft, 'muster.db'), path)
    return { ...written, keptAs: undefined }
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function copy(given: {
  from: string | undefined
  to: string | undefined
  sourceFolder: string
  dataFolder: string
}): Promise<{ tables: number; rows: number }> {
  await using source = await openDatabase<unknown>(given.from, given.sourceFolder)
  await using target = await openDatabase<unknown>(given.to, given.dataFolder)
  const since = new Date(Date.now() - BEAT_MS).toISOString()
  const { rows } = await sql`select id from processes where beat_at > ${since}`.execute(source.db)
  if (rows.length > 0)
    throw new AppError('conflict', 'A server still uses the database, or did seconds ago. Stop it first.')
  // Awaited here: the databases are closed on return.
  return await writeTables(target, readTables(source), async () => undefined)
}
