import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../../platform/database/open-database.ts'
import { testEngines } from '../../platform/database/test-engines.ts'
import { moveDatabase } from './move-database.ts'
import { listTables } from './read-tables.ts'
import { fillInstallation, givenInstallation, openInstallation, readEverything } from './test-installation.ts'

/** Empty where the test has no server to move to. */
const POSTGRES = testEngines.map(({ engine }) => engine).filter((engine) => engine === 'postgres')

test('without the address of a PostgreSQL database nothing is moved', async () => {
  await using installation = await givenInstallation({ engine: 'sqlite', isNew: true })
  for (const to of ['postgres', 'sqlite'] as const)
    await expect(moveDatabase(installation.config, to)).rejects.toThrow('Set DATABASE_URL')
  const databaseUrl = 'postgres://nobody@127.0.0.1:1/none'
  await expect(moveDatabase({ ...installation.config, databaseUrl }, 'sqlite')).rejects.toThrow(
    'muster.db exists. Move it away, and try again.',
  )
  await expect(moveDatabase({ ...installation.config, databaseUrl }, 'postgres')).rejects.toThrow(
    'The database at 127.0.0.1:1/none cannot be reached',
  )
  await using ctx = await openInstallation(installation)
  expect(ctx.engine).toBe('sqlite')
})

test.each(POSTGRES)('a database moves to %s and back with every row', async (engine) => {
  await using installation = await givenInstallation({ engine: 'sqlite', isNew: true })
  await using other = await givenInstallation({ engine })
  const { databaseUrl } = other.config
  const { dataFolder } = installation.config
  const both = { dataFolder, databaseUrl }
  let before: Awaited<ReturnType<typeof readEverything>>
  {
    await using ctx = await openInstallation(installation)
    await fillInstallation(ctx)
    before = await readEverything(ctx)
    await expect(moveDatabase(both, 'postgres')).rejects.toThrow('another Muster server')
  }
  const moved = await moveDatabase(both, 'postgres')
  expect(moved.rows).toBe(Object.values(before).flat().length)
  expect(existsSync(join(dataFolder, 'muster.db'))).toBe(false)
  expect(existsSync(moved.keptAs ?? '')).toBe(true)
  const onPostgres = { config: { ...installation.config, databaseUrl } }
  {
    await using ctx = await openInstallation(onPostgres)
    expect(ctx.engine).toBe('postgres')
    expect(await readEverything(ctx)).toEqual(before)
    const now = new Date().toISOString()
    await ctx.db.insertInto('processes').values({ id: 'x', started_at: now, beat_at: now }).execute()
    await expect(moveDatabase(both, 'sqlite')).rejects.toThrow('A server still uses the database')
    await ctx.db.deleteFrom('processes').execute()
  }
  expect(await moveDatabase(both, 'sqlite')).toMatchObject({ rows: moved.rows, keptAs: undefined })
  await using ctx = await openInstallation(installation)
  expect(await readEverything(ctx)).toEqual(before)
  expect((await readdir(dataFolder)).filter((name) => name === 'moving')).toEqual([])
})

test.each(POSTGRES)('a value that %s cannot hold is named, and nothing is moved', async (engine) => {
  await using installation = await givenInstallation({ engine: 'sqlite', isNew: true })
  await using other = await givenInstallation({ engine })
  const both = { dataFolder: installation.config.dataFolder, databaseUrl: other.config.databaseUrl }
  {
    await using ctx = await openInstallation(installation)
    await fillInstallation(ctx)
    await sql`update package_files set bytes = 'many'`.execute(ctx.db)
  }
  await expect(moveDatabase(both, 'postgres')).rejects.toThrow(
    /^Rows of table package_files cannot be stored: invalid input syntax for type integer: "many"/,
  )
  await using target = await openDatabase<unknown>(other.config.databaseUrl, both.dataFolder)
  expect(await listTables(target.db, 'postgres')).toEqual([])
  await using ctx = await openInstallation(installation)
  expect(await ctx.db.selectFrom('clients').select('id').limit(1).execute()).toHaveLength(1)
})
