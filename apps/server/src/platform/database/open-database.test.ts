import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, type Generated } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { bytesColumn, flagColumn, idColumn, instantColumn, jsonColumn } from './columns.ts'
import { openDatabase, type OpenDatabase } from './open-database.ts'
import { contains, isForeignKeyViolation, isUniqueViolation, nullsLast } from './sql.ts'
import { testEngines } from './test-engines.ts'

interface Things {
  things: {
    id: Generated<number>
    name: string
    bytes: Uint8Array | null
    size: number | null
    ratio: number | null
    parent_id: number | null
    favorite: Generated<0 | 1>
    tags: Generated<string>
    created_at: string
  }
}

const created_at = '2026-11-21T09:00:00.000Z'

const folders: string[] = []
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-database-'))
  folders.push(folder)
  return folder
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

async function createThings({ db, engine }: OpenDatabase<Things>): Promise<void> {
  await db.schema
    .createTable('things')
    .addColumn('id', ...idColumn(engine))
    .addColumn('name', 'text', (col) => col.notNull().unique())
    .addColumn('bytes', ...bytesColumn(engine))
    .addColumn('size', 'bigint')
    .addColumn('ratio', 'double precision')
    .addColumn('parent_id', 'integer', (col) => col.references('things.id').onDelete('cascade'))
    .addColumn('favorite', ...flagColumn())
    .addColumn('tags', ...jsonColumn('[]'))
    .addColumn('created_at', ...instantColumn())
    .execute()
}

describe.each(testEngines)('$engine', ({ open }) => {
  async function openThings(names: string[] = []): Promise<OpenDatabase<Things>> {
    const database = await open<Things>()
    await createThings(database)
    if (names.length > 0) {
      const rows = names.map((name) => ({ name, created_at }))
      await database.db.insertInto('things').values(rows).execute()
    }
    return database
  }

  test('columns keep their values and have their defaults', async () => {
    await using database = await openThings()
    const thing = { name: 'a', bytes: new Uint8Array([0, 255]), size: 2 ** 53 - 1, ratio: 0.1, created_at }
    const row = await database.db.insertInto('things').values(thing).returningAll().executeTakeFirstOrThrow()
    const { bytes, ...rest } = row
    expect(rest).toEqual({ id: 1, parent_id: null, favorite: 0, tags: '[]', ...thing, bytes: undefined })
    expect([...(bytes ?? [])]).toEqual([0, 255])
  })

  test('a row number is never reused', async () => {
    await using database = await openThings(['a', 'b'])
    await database.db.deleteFrom('things').execute()
    const row = await database.db
      .insertInto('things')
      .values({ name: 'c', created_at })
      .returning('id')
      .executeTakeFirstOrThrow()
    expect(row.id).toBe(3)
  })

  test('counts and sums are numbers', async () => {
    await using database = await openThings(['a', 'b'])
    const row = await database.db
      .updateTable('things')
      .set({ size: 5_000_000_000 })
      .execute()
      .then(() =>
        database.db
          .selectFrom('things')
          .select(({ fn }) => [fn.countAll().as('count'), fn.sum('size').as('sum')])
          .executeTakeFirstOrThrow(),
      )
    expect(row).toEqual({ count: 2, sum: 10_000_000_000 })
  })

  test('a duplicate name is a unique violation, a missing parent a foreign key violation', async () => {
    await using database = await openThings(['a'])
    const insert = (row: { name: string; id?: number; parent_id?: number }) =>
      database.db
        .insertInto('things')
        .values({ ...row, created_at })
        .execute()
        .then(
          () => undefined,
          (error: unknown) => error,
        )
    const sameName = await insert({ name: 'a' })
    const sameId = await insert({ name: 'b', id: 1 })
    const noParent = await insert({ name: 'c', parent_id: 99 })
    expect([sameName, sameId, noParent].map(isUniqueViolation)).toEqual([true, true, false])
    expect([sameName, sameId, noParent].map(isForeignKeyViolation)).toEqual([false, false, true])
    expect(isUniqueViolation(new Error('UNIQUE'))).toBe(false)
  })

  test.each([
    ['üll', ['Müller', 'MÜLLER']],
    ['100%', ['100%']],
    ['a_b', ['a_b']],
    [String.raw`c:\x`, [String.raw`c:\x`]],
    ["'", ["o'neil"]],
    ['', ['Müller', 'MÜLLER', '100%', '1000', 'a_b', 'axb', String.raw`c:\x`, "o'neil"]],
    ['z', []],
  ])('contains %s', async (text, expected) => {
    await using database = await openThings([
      'Müller',
      'MÜLLER',
      '100%',
      '1000',
      'a_b',
      'axb',
      String.raw`c:\x`,
      "o'neil",
    ])
    const rows = await database.db
      .selectFrom('things')
      .select('name')
      .where((eb) => contains(eb.ref('name'), text))
      .orderBy('id')
      .execute()
    expect(rows.map(({ name }) => name)).toEqual(expected)
  })

  test('empty values sort last in both directions, text sorts by its bytes', async () => {
    await using database = await openThings(['a', 'B', 'c'])
    const { db } = database
    await db.updateTable('things').set({ size: 1 }).where('name', '=', 'a').execute()
    await db.updateTable('things').set({ size: 2 }).where('name', '=', 'B').execute()
    const names = async (direction: 'asc' | 'desc') => {
      const rows = await db
        .selectFrom('things')
        .select('name')
        .orderBy('size', nullsLast(direction))
        .execute()
      return rows.map(({ name }) => name)
    }
    expect([await names('asc'), await names('desc')]).toEqual([
      ['a', 'B', 'c'],
      ['B', 'a', 'c'],
    ])
    const byName = await db.selectFrom('things').select('name').orderBy('name').execute()
    expect(byName.map(({ name }) => name)).toEqual(['B', 'a', 'c'])
  })

  test('text that databases cannot store gets the replacement character', async () => {
    await using database = await openThings(['a\0b', 'c\uD800d', '<img onerror=alert(1)>', "'; drop table x"])
    const rows = await database.db.selectFrom('things').select('name').orderBy('id').execute()
    expect(rows.map(({ name }) => name)).toEqual([
      'a\uFFFDb',
      'c\uFFFDd',
      '<img onerror=alert(1)>',
      "'; drop table x",
    ])
  })

  test('a thousand concurrent queries all run', async () => {
    await using database = await openThings()
    const inserts = Array.from({ length: 1000 }, (_, i) =>
      database.db
        .insertInto('things')
        .values({ name: `thing ${i}`, created_at })
        .execute(),
    )
    await Promise.all(inserts)
    const { rows } = await sql<{ count: number }>`select count(*) as count from things`.execute(database.db)
    expect(rows[0]?.count).toBe(1000)
  })

  test('a statement prepared before a column was added returns the column afterwards', async () => {
    await using database = await openThings(['a'])
    const read = () => sql`select * from things`.execute(database.db)
    await read()
    await database.db.schema.alterTable('things').addColumn('later', 'text').execute()
    const { rows } = await read()
    expect(rows[0]).toHaveProperty('later', null)
  })
})

test('the embedded database is created in the data folder, closed to other users', async () => {
  const folder = join(newFolder(), 'data')
  {
    await using database = await openDatabase<Things>(undefined, folder)
    await createThings(database)
    const pragma = async (name: string) => {
      const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(database.db)
      return Object.values(rows[0] ?? {})[0]
    }
    expect(await pragma('journal_mode')).toBe('wal')
    expect(await pragma('synchronous')).toBe(1)
    expect(await pragma('foreign_keys')).toBe(1)
    expect(await pragma('busy_timeout')).toBe(5000)
    expect(await pragma('cache_size')).toBe(-32768)
  }
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  await using again = await openDatabase<Things>(undefined, folder)
  expect(await again.db.selectFrom('things').selectAll().execute()).toEqual([])
})

test('a database that cannot be opened is explained in one line', async () => {
  const folder = newFolder()
  writeFileSync(
    join(folder, 'muster.db'),
    'this is not a database, but it is long enough to look like one'.repeat(20),
  )
  await expect(openDatabase(undefined, folder)).rejects.toThrow(
    /muster\.db cannot be opened: file is not a database$/,
  )
  await expect(openDatabase('mysql://localhost/x', folder)).rejects.toThrow(/must begin with postgres:\/\//)
  const refused = openDatabase('postgres://someone:secret@127.0.0.1:1/muster', folder)
  await expect(refused).rejects.toThrow(
    /^The database at 127\.0\.0\.1:1\/muster cannot be reached: .*ECONNREFUSED/,
  )
  await expect(refused).rejects.not.toThrow(/secret/)
})
