import { expect, test } from 'vitest'
import type { Database } from './database.ts'
import { insertRows, jsonRows } from './json-rows.ts'
import { openMigratedDatabase } from './test-engines.ts'

const AT = '2026-11-25T10:00:00.000Z'
const TEXTS = [
  'plain',
  `"quoted" 'twice'`,
  String.raw`not \u0000 and \ud800`,
  'nul \0 and \ud800.',
  'ü 😀\r\n',
  '',
]
const STORED = TEXTS.with(3, 'nul \uFFFD and \uFFFD.')

test('many rows are inserted and changed by one parameter, whatever text they hold', async () => {
  await using database = await openMigratedDatabase<Database>()
  const { db } = database
  const clients = TEXTS.map((name, i) => ({ name: `${i} ${name}`, created_at: AT }))
  const inserted = await insertRows(db, 'clients', clients).returning(['id', 'name']).execute()
  const names = inserted.toSorted((a, b) => a.id - b.id).map(({ name }) => name)
  expect(names).toEqual(STORED.map((text, i) => `${i} ${text}`))
  const changed = inserted.map(({ id, name }) => ({ id, name: `${name}!` }))
  const result = await db
    .updateTable('clients')
    .from(jsonRows(db, 'clients', ['id', 'name'], changed).as('given'))
    .set((eb) => ({ name: eb.ref('given.name') }))
    .whereRef('clients.id', '=', 'given.id')
    .executeTakeFirst()
  expect(Number(result.numUpdatedRows)).toBe(TEXTS.length)
  const after = await db.selectFrom('clients').select('name').orderBy('id').execute()
  expect(after.map(({ name }) => name)).toEqual(STORED.map((text, i) => `${i} ${text}!`))
})
