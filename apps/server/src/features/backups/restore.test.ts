import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Context } from '../../context.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { migrations } from '../../platform/database/migrations/index.ts'
import { openDatabase } from '../../platform/database/open-database.ts'
import { openSecrets } from '../../platform/secrets/secrets.ts'
import { type BackupItem, encodeItem } from './backup-items.ts'
import { makeBackup, verifyBackup } from './make-backup.ts'
import { restoreBackup } from './restore-backup.ts'
import { SealedWriter } from './sealed-stream.ts'
import {
  fillInstallation,
  givenInstallation,
  openInstallation,
  PASSPHRASE,
  readEverything,
} from './test-installation.ts'

type Installation = Awaited<ReturnType<typeof givenInstallation>>

async function backUp({ config, folder }: Installation) {
  const path = join(folder, 'muster.backup')
  await makeBackup(config, { path, passphrase: PASSPHRASE })
  return { path, passphrase: PASSPHRASE }
}

const NAMES = migrations.map(({ name }) => name).toSorted()
const NEWEST = migrations.at(-1)?.name

const ENGINES = process.env['MUSTER_TEST_POSTGRES'] === undefined ? ['sqlite'] : ['sqlite', 'postgres']
const PAIRS = ENGINES.flatMap((from) => ENGINES.map((to) => [from, to] as ['sqlite', 'sqlite']))

test.each(PAIRS)(
  'a backup of %s restored into %s has the same rows, files and next ids',
  async (from, to) => {
    await using source = await givenInstallation({ engine: from, isNew: true })
    await using target = await givenInstallation({ engine: to })
    let before: Awaited<ReturnType<typeof readEverything>>
    let filled: Awaited<ReturnType<typeof fillInstallation>>
    {
      await using ctx = await openInstallation(source)
      filled = await fillInstallation(ctx)
      before = await readEverything(ctx)
    }
    const file = await backUp(source)
    expect(await restoreBackup(target.config, file)).toMatchObject({ files: 3, tls: undefined })
    await using ctx = await openInstallation(target)
    expect(await readEverything(ctx)).toEqual(before)
    const files = (folder: string) => readFile(join(folder, 'recordings', 'one'))
    expect((await files(target.config.dataFolder)).equals(await files(source.config.dataFolder))).toBe(true)
    expect((await stat(join(target.config.dataFolder, 'recordings', 'empty'))).mode & 0o777).toBe(0o600)
    expect(existsSync(join(target.config.dataFolder, 'packages'))).toBe(false)
    const sealed = await ctx.db
      .selectFrom('settings')
      .select('value')
      .where('name', '=', 'sealed')
      .executeTakeFirstOrThrow()
    expect(ctx.secrets.decrypt(sealed.value)).toBe('geheim')
    // The id of a deleted client is not assigned again, and references still hold.
    const now = new Date().toISOString()
    const next = await ctx.db
      .insertInto('clients')
      .values({ name: 'Next', created_at: now })
      .returning('id')
      .executeTakeFirstOrThrow()
    expect(next.id).toBe(filled.gone.id + 1)
    await expect(
      ctx.db.insertInto('sites').values({ client_id: 999_999, name: 'Nowhere', created_at: now }).execute(),
    ).rejects.toThrow(/foreign key/i)
    await ctx.db.deleteFrom('agents').where('id', '=', filled.agent.id).execute()
    expect(await ctx.db.selectFrom('sample_chunks').selectAll().execute()).toEqual([])
  },
)

test('a used folder or database, a wrong passphrase and a damaged file change nothing', async () => {
  await using source = await givenInstallation({ isNew: true })
  const { config } = source
  await (await openInstallation(source))[Symbol.asyncDispose]()
  const file = await backUp(source)
  await expect(restoreBackup(config, file)).rejects.toThrow(`${config.dataFolder} is not empty.`)
  const target = { ...config, dataFolder: join(source.folder, 'other') }
  await expect(restoreBackup(target, { ...file, passphrase: 'another passphrase' })).rejects.toThrow(
    `Wrong passphrase for ${file.path}.`,
  )
  await expect(restoreBackup(target, { ...file, path: `${file.path}-` })).rejects.toThrow('does not exist')
  const bytes = await readFile(file.path)
  const damaged = join(source.folder, 'damaged')
  const middle = Math.floor(bytes.length / 2)
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  await writeFile(damaged, bytes)
  await expect(restoreBackup(target, { ...file, path: damaged })).rejects.toThrow('is damaged')
  expect(existsSync(target.dataFolder)).toBe(false)
  if (config.databaseUrl === undefined) return
  await expect(restoreBackup(target, file)).rejects.toThrow('The database is not empty.')
})

test('an interrupted restore keeps the server from starting, and starts over', async () => {
  await using source = await givenInstallation({ isNew: true })
  await (await openInstallation(source))[Symbol.asyncDispose]()
  const file = await backUp(source)
  await using target = await givenInstallation()
  const { dataFolder } = target.config
  await mkdir(dataFolder)
  await writeFile(join(dataFolder, 'muster.restoring'), '')
  await writeFile(join(dataFolder, 'muster.db'), 'half of a database')
  await writeFile(join(dataFolder, 'left'), '')
  await expect(openInstallation(target)).rejects.toThrow(
    `The restore into ${dataFolder} has not finished. Run npm run restore again with the same file.`,
  )
  await expect(backUp(target)).rejects.toThrow('has not finished')
  await restoreBackup(target.config, file)
  expect(existsSync(join(dataFolder, 'left'))).toBe(false)
  await (await openInstallation(target))[Symbol.asyncDispose]()
})

test('a backup of an older schema is migrated at the next start', async () => {
  await using source = await givenInstallation()
  const { databaseUrl, dataFolder } = source.config
  await mkdir(dataFolder)
  {
    await using database = await openDatabase<unknown>(databaseUrl, dataFolder)
    await migrate(database, { migrations: migrations.slice(0, -1), dataFolder })
  }
  await openSecrets(dataFolder)
  const file = await backUp(source)
  await using target = await givenInstallation()
  await restoreBackup(target.config, file)
  {
    await using database = await openDatabase<unknown>(target.config.databaseUrl, target.config.dataFolder)
    expect(await readSchema(database)).toEqual(NAMES.filter((name) => name !== NEWEST))
  }
  await using ctx = await openInstallation(target)
  expect(await readSchema(ctx)).toEqual(NAMES)
})

test('a backup of a newer schema or format is refused before anything is written', async () => {
  await using source = await givenInstallation({ isNew: true })
  const { databaseUrl, dataFolder } = source.config
  await (await openInstallation(source))[Symbol.asyncDispose]()
  {
    await using database = await openDatabase<unknown>(databaseUrl, dataFolder)
    await sql`insert into migrations (name, applied_at) values ('9999-later', 'now')`.execute(database.db)
  }
  const file = await backUp(source)
  await using target = await givenInstallation()
  await expect(restoreBackup(target.config, file)).rejects.toThrow(
    'The data is of a newer Muster (this one does not know 9999-later). Update this server first.',
  )
  const json = Buffer.from(JSON.stringify({ format: 2, server_version: '9.0.0', more: 1 }))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(json.length)
  const hash = createHash('sha256').update(json).digest()
  const path = join(source.folder, 'format')
  await writeFile(path, Buffer.concat([Buffer.from('MUSTERBK'), length, json, hash]))
  await expect(restoreBackup(target.config, { ...file, path })).rejects.toThrow(
    `${path} has format 2, made by Muster 9.0.0. This version reads format 1. Update this server first.`,
  )
  expect(existsSync(target.config.dataFolder)).toBe(false)
})

test('a file that names a way out of the data folder, or other totals, is refused', async () => {
  await using source = await givenInstallation({ isNew: true })
  const path = join(source.folder, 'hostile')
  const write = async (items: BackupItem[]) => {
    await using file = await SealedWriter.create(path, PASSPHRASE)
    for (const item of items) await file.write(await encodeItem(item))
    await file.end()
    return verifyBackup(path, PASSPHRASE).catch((error: unknown) => String(error))
  }
  const start: BackupItem = { type: 'start', migrations: [] }
  const end = { type: 'end', tables: 0, rows: 0, files: 0, bytes: 0 } as const
  expect(await write([start, end])).toEqual({ tables: 0, rows: 0, files: 0, bytes: 0 })
  for (const name of ['../x', '/etc/x', 'a/../../x', 'C:x', 'a\\b', 'a//b'])
    expect(await write([start, { type: 'file', path: name }, end])).toMatch(/a record cannot be read/)
  expect(await write([start, { ...end, rows: 1 }])).toMatch(/its parts differ from its totals/)
  expect(await write([start])).toMatch(/it has no end/)
  expect(await write([end])).toMatch(/out of order/)
  expect(await write([start, { type: 'file', path: 'x' }, end])).toMatch(/file x has no end/)
})

async function readSchema({ db }: { db: Kysely<unknown> | Context['db'] }): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(db)
  return rows.map(({ name }) => name).toSorted()
}
