import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Generated } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { idColumn } from './columns.ts'
import type { Database } from './database.ts'
import { migrate, type Migration } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { openDatabase } from './open-database.ts'
import { createPostgresDatabase, testEngines } from './test-engines.ts'

interface Rooms {
  houses: { id: Generated<number>; name: string }
  rooms: { id: Generated<number>; house_id: number }
}

const createHouses: Migration = {
  name: '0001-houses',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('houses')
      .addColumn('id', ...idColumn(engine))
      .addColumn('name', 'text')
      .execute()
    await db.schema
      .createTable('rooms')
      .addColumn('id', ...idColumn(engine))
      .addColumn('house_id', 'integer', (col) => col.references('houses.id').onDelete('cascade'))
      .execute()
  },
}

const shoutNames: Migration = {
  name: '0002-shout',
  changesData: true,
  async up(db) {
    await db
      .$extendTables<Pick<Rooms, 'houses'>>()
      .updateTable('houses')
      .set((eb) => ({ name: eb.fn<string>('upper', ['name']) }))
      .execute()
  },
}

const failing: Migration = {
  name: '0003-failing',
  changesData: true,
  async up(db) {
    await db.schema.createTable('half').addColumn('id', 'integer').execute()
    throw new Error('out of ideas')
  },
}

const folders: string[] = []
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-migrate-'))
  folders.push(folder)
  return folder
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

describe.each(testEngines)('$engine', ({ open }) => {
  test('all migrations create every table and run once', async () => {
    await using database = await open<Database>()
    const dataFolder = newFolder()
    expect(await migrate(database, { migrations, dataFolder })).toHaveLength(migrations.length)
    expect(await migrate(database, { migrations, dataFolder })).toEqual([])
    expect(await database.db.selectFrom('jobs').selectAll().execute()).toEqual([])
  })

  test('runs pending migrations once, in order', async () => {
    await using database = await open<Rooms>()
    const dataFolder = newFolder()
    expect(await migrate(database, { migrations: [createHouses], dataFolder })).toEqual(['0001-houses'])
    await database.db.insertInto('houses').values({ name: 'mill' }).execute()
    const migrations = [createHouses, shoutNames]
    expect(await migrate(database, { migrations, dataFolder })).toEqual(['0002-shout'])
    expect(await migrate(database, { migrations, dataFolder })).toEqual([])
    expect(await database.db.selectFrom('houses').select('name').execute()).toEqual([{ name: 'MILL' }])
  })

  test('a failing migration is rolled back and named, and the ones before it stay', async () => {
    await using database = await open<Rooms>()
    const dataFolder = newFolder()
    await expect(migrate(database, { migrations: [createHouses, failing], dataFolder })).rejects.toThrow(
      'The database update 0003-failing failed and was rolled back: out of ideas',
    )
    const tables = await database.db.introspection.getTables()
    expect(tables.map(({ name }) => name).sort()).toEqual(['houses', 'migrations', 'rooms'])
    const repaired: Migration = { ...failing, up: async () => undefined }
    expect(await migrate(database, { migrations: [createHouses, repaired], dataFolder })).toEqual([
      failing.name,
    ])
  })

  test('a database of a newer Muster is refused', async () => {
    await using database = await open<Rooms>()
    const dataFolder = newFolder()
    await migrate(database, { migrations: [createHouses, shoutNames], dataFolder })
    await expect(migrate(database, { migrations: [createHouses], dataFolder })).rejects.toThrow(
      /^the database was created by a newer Muster \(this one does not know 0002-shout\)/,
    )
  })

  test('a migration may replace a referenced table, but not leave rows without their parent', async () => {
    await using database = await open<Rooms>()
    const dataFolder = newFolder()
    await migrate(database, { migrations: [createHouses], dataFolder })
    const house = await database.db
      .insertInto('houses')
      .values({ name: 'a' })
      .returning('id')
      .executeTakeFirstOrThrow()
    await database.db.insertInto('rooms').values({ house_id: house.id }).execute()
    const dropParents: Migration = {
      name: '0002-drop',
      changesData: true,
      async up(db, engine) {
        if (engine === 'postgres') throw new Error('foreign key')
        await db.$extendTables<Pick<Rooms, 'houses'>>().deleteFrom('houses').execute()
      },
    }
    await expect(migrate(database, { migrations: [createHouses, dropParents], dataFolder })).rejects.toThrow(
      database.engine === 'sqlite'
        ? /1 rows, the first in rooms, reference a missing row of houses/
        : /foreign key/,
    )
    expect(await database.db.selectFrom('rooms').selectAll().execute()).toHaveLength(1)
    await database.db.deleteFrom('houses').execute()
    // Foreign keys are on again: the cascade deleted the room.
    expect(await database.db.selectFrom('rooms').selectAll().execute()).toHaveLength(0)
  })
})

test('the file is copied before a migration that changes data, if there is data', async () => {
  const dataFolder = newFolder()
  const backups = join(dataFolder, 'backups')
  await using database = await openDatabase<Rooms>(undefined, dataFolder)
  await migrate(database, { migrations: [createHouses, shoutNames], dataFolder })
  expect(existsSync(backups)).toBe(false)
  await database.db.insertInto('houses').values({ name: 'mill' }).execute()
  const more: Migration = { ...shoutNames, name: '0004-more' }
  const last: Migration = { ...shoutNames, name: '0005-last' }
  await migrate(database, { migrations: [createHouses, shoutNames, more, last], dataFolder })
  expect(readdirSync(backups)).toEqual(['muster-before-0004-more.db'])
  const path = join(backups, 'muster-before-0004-more.db')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const copy = new DatabaseSync(path, { readOnly: true })
  expect(copy.prepare('select name from houses').all()).toMatchObject([{ name: 'mill' }])
  expect(copy.prepare('select name from migrations order by name').all()).toHaveLength(2)
  copy.close()
})

if (testEngines.some(({ engine }) => engine === 'postgres'))
  describe('two servers on PostgreSQL', testTwoServers)

function testTwoServers() {
  test('migrate once when they start at the same time', async () => {
    await using fresh = await createPostgresDatabase()
    const slow: Migration = {
      ...createHouses,
      async up(db, engine) {
        await createHouses.up(db, engine)
        await new Promise((resolve) => setTimeout(resolve, 50))
      },
    }
    const start = async () => {
      await using database = await openDatabase<Rooms>(fresh.url, newFolder())
      return await migrate(database, { migrations: [slow, shoutNames], dataFolder: newFolder() })
    }
    const ran = await Promise.all([start(), start(), start(), start()])
    expect(ran.flat()).toEqual(['0001-houses', '0002-shout'])
  })
}
