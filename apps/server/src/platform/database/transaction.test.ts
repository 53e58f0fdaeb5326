import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openMemory, type OpenDatabase } from './open-database.ts'
import { testEngines } from './test-engines.ts'
import { createTransactor } from './transaction.ts'

interface Notes {
  notes: { text: string }
}

async function createNotes<Database extends OpenDatabase<Notes>>(database: Database): Promise<Database> {
  await database.db.schema
    .createTable('notes')
    .addColumn('text', 'text', (col) => col.unique())
    .execute()
  return database
}

describe.each(testEngines)('$engine', ({ open }) => {
  test('events leave in order after the commit, when every reader sees the rows', async () => {
    await using database = await createNotes(await open<Notes>())
    const published: string[] = []
    const transaction = createTransactor<Notes, string>(database, (event) => published.push(event))
    const result = await transaction(async (tx, emit) => {
      emit('first')
      await tx.insertInto('notes').values({ text: 'a' }).execute()
      emit('second')
      expect(published).toEqual([])
      return 42
    })
    expect(result).toBe(42)
    expect(published).toEqual(['first', 'second'])
    expect(await database.db.selectFrom('notes').selectAll().execute()).toEqual([{ text: 'a' }])
  })

  test('an error rolls the rows back and drops the events', async () => {
    await using database = await createNotes(await open<Notes>())
    const published: string[] = []
    const transaction = createTransactor<Notes, string>(database, (event) => published.push(event))
    const failed = transaction(async (tx, emit) => {
      await tx.insertInto('notes').values({ text: 'a' }).execute()
      emit('never')
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    expect(published).toEqual([])
    expect(await database.db.selectFrom('notes').selectAll().execute()).toEqual([])
  })

  test('a query on db, or a second transaction, inside a transaction is refused instead of waiting forever', async () => {
    await using database = await createNotes(await open<Notes>())
    const transaction = createTransactor<Notes, never>(database, () => undefined)
    await expect(transaction(() => database.db.selectFrom('notes').selectAll().execute())).rejects.toThrow(
      /use the `tx`/,
    )
    await expect(transaction(() => transaction(async () => 1))).rejects.toThrow(/use the `tx`/)
    // The connection is free again.
    expect(await database.db.selectFrom('notes').selectAll().execute()).toEqual([])
  })

  test('work that outlives a transaction is no longer inside it', async () => {
    await using database = await createNotes(await open<Notes>())
    const transaction = createTransactor<Notes, string>(database, () => undefined)
    const { promise, resolve } = Promise.withResolvers<void>()
    let late: Promise<unknown> | undefined
    let lateEvent: (() => void) | undefined
    await transaction(async (_tx, emit) => {
      late = promise.then(() => database.db.selectFrom('notes').selectAll().execute())
      lateEvent = () => emit('too late')
    })
    resolve()
    expect(await late).toEqual([])
    expect(lateEvent).toThrow(/after its transaction ended/)
  })

  test('concurrent transactions do not mix, and nested ones of different databases are allowed', async () => {
    await using database = await createNotes(await open<Notes>())
    await using other = await createNotes(openMemory<Notes>())
    const transaction = createTransactor<Notes, never>(database, () => undefined)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        transaction(async (tx) => {
          await tx
            .insertInto('notes')
            .values({ text: `${i}` })
            .execute()
          await wait(1)
          await other.db
            .insertInto('notes')
            .values({ text: `${i}` })
            .execute()
          if (i % 2 === 1) throw new Error('odd')
        }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    const rows = await database.db.selectFrom('notes').selectAll().execute()
    expect(rows.map(({ text }) => Number(text)).sort((a, b) => a - b)).toEqual([
      0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
    ])
  })
})

test('a query that waits for a transaction held open gets an error, and the next queries run', async () => {
  await using database = await createNotes(openMemory<Notes>({ waitMs: 50 }))
  const transaction = createTransactor<Notes, never>(database, () => undefined)
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = transaction(() => promise)
  const read = () => database.db.selectFrom('notes').selectAll().execute()
  await expect(read()).rejects.toThrow(/busy for 0\.05 s/)
  const waiting = read()
  resolve()
  await held
  expect(await waiting).toEqual([])
  expect(await read()).toEqual([])
})
