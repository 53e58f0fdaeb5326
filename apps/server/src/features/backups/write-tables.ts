import { AppError } from '@muster/contract/errors'
import { CompiledQuery, sql } from 'kysely'
import type { Engine } from '../../platform/database/columns.ts'
import { migrations as known } from '../../platform/database/migrations/index.ts'
import type { OpenDatabase } from '../../platform/database/open-database.ts'
import { storable } from '../../platform/database/sql.ts'
import { requirePartitions } from '../../samples/partitions.ts'
import { type AnyDb, findSequence, listColumns, listTables, readRows, type TableItem } from './read-tables.ts'
import { decodeRows } from './table-rows.ts'

interface Table {
  name: string
  columns: string[]
  rows: number
  hash: string
  last_id: number | null
}

/**
 * Fills an empty database from the stream of another one, of either engine, in one transaction. It gets the schema that
 * the other database had; the next start of the server migrates it. Other items go to `sink` before the commit. At the
 * end every table is read again, and its rows are compared with those of the stream by number and hash.
 */
export async function writeTables<Other extends { type: string }>(
  database: OpenDatabase<unknown>,
  items: AsyncIterable<TableItem | Other>,
  sink: (item: Other) => Promise<void>,
): Promise<{ tables: number; rows: number }> {
  const { engine } = database
  const db = database.db as AnyDb
  await refuseUsedDatabase(database)
  const tables = await db.connection().execute(async (connection) => {
    // Rows arrive before those that they reference. Checked before the commit.
    if (engine === 'sqlite') await sql`pragma foreign_keys = off`.execute(connection)
    return connection.transaction().execute(async (tx) => {
      if (engine === 'postgres') await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
      return fill(tx, engine, items, sink)
    })
  })
  return { tables: tables.length, rows: tables.reduce((sum, { rows }) => sum + rows, 0) }
}

/** Throws if the database has tables. */
export async function refuseUsedDatabase({ db, engine }: OpenDatabase<unknown>): Promise<void> {
  if ((await listTables(db, engine)).length === 0) return
  throw new AppError('conflict', 'The database is not empty. Create an empty one, and try again.')
}

/** Throws if a schema was made by a newer version. */
export function refuseNewerSchema(names: readonly string[]): void {
  const unknown = names.filter((name) => !known.some((migration) => migration.name === name))
  if (unknown.length === 0) return
  throw new AppError(
    'conflict',
    `The data is of a newer Muster (this one does not know ${unknown.join(', ')}). Update this server first.`,
  )
}

async function fill<Other extends { type: string }>(
  tx: AnyDb,
  engine: Engine,
  items: AsyncIterable<TableItem | Other>,
  sink: (item: Other) => Promise<void>,
): Promise<Table[]> {
  const written: Table[] = []
  let current: { name: string; columns: string[]; insert: Insert } | undefined
  let foreignKeys: ForeignKey[] = []
  for await (const item of items) {
    // `as`: an item of another type than those of tables.
    if (!isTableItem(item)) await sink(item as Other)
    else if (item.type === 'start') {
      await createSchema(tx, engine, item.migrations)
      if (engine === 'postgres') foreignKeys = await dropForeignKeys(tx)
      for (const table of await listTables(tx, engine)) await sql`delete from ${sql.table(table)}`.execute(tx)
    } else if (item.type === 'table') {
      const { name, columns } = item
      const expected = await listColumns(tx, engine, name)
      if (expected.join() !== columns.join())
        throw new Error(`Table ${name} has other columns (${columns.join(', ')}) than this version expects.`)
      current = { name, columns, insert: openInsert(tx, engine, { name, columns }) }
    } else if (current === undefined) throw new Error('rows without a table')
    else if (item.type === 'rows') await current.insert(item.rows)
    else {
      const { name, columns } = current
      if (item.last_id !== null) await setLastId(tx, engine, { name, id: item.last_id })
      written.push({ name, columns, rows: item.rows, hash: item.hash, last_id: item.last_id })
    }
  }
  const missing = (await listTables(tx, engine)).filter(
    (name) => !written.some((table) => table.name === name),
  )
  if (missing.length > 0) throw new Error(`The data lacks the tables ${missing.join(', ')}.`)
  await (engine === 'postgres' ? addForeignKeys(tx, foreignKeys) : refuseDanglingRows(tx))
  for (const table of written) await compareTable(tx, engine, table)
  return written
}

function isTableItem(item: { type: string }): item is TableItem {
  return ['start', 'table', 'rows', 'table-end'].includes(item.type)
}

async function createSchema(tx: AnyDb, engine: Engine, names: readonly string[]): Promise<void> {
  refuseNewerSchema(names)
  await tx.schema
    .createTable('migrations')
    .addColumn('name', 'text', (col) => col.primaryKey().notNull())
    .addColumn('applied_at', 'text', (col) => col.notNull())
    .execute()
  for (const migration of known) {
    // `as`: a migration takes a transaction of the schema of its own version.
    if (names.includes(migration.name)) await migration.up(tx as Parameters<typeof migration.up>[0], engine)
  }
}

type Insert = (rows: Buffer) => Promise<void>

function openInsert(
  tx: AnyDb,
  engine: Engine,
  { name, columns }: { name: string; columns: readonly string[] },
): Insert {
  const head = `insert into "${name}" (${columns.map((column) => `"${column}"`).join(', ')}) values `
  const parameter = (index: number) => (engine === 'sqlite' ? '?' : `$${index + 1}`)
  return async (encoded) => {
    const rows = [...decodeRows(encoded, columns.length)].map(({ values }) => values)
    if (engine === 'postgres' && name === 'sample_chunks') await addPartitions(tx, columns, rows)
    const tuples = rows.map(
      (values, row) => `(${values.map((_, index) => parameter(row * values.length + index)).join(', ')})`,
    )
    try {
      await tx.executeQuery(CompiledQuery.raw(head + tuples.join(', '), rows.flat().map(storable)))
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`Rows of table ${name} cannot be stored: ${reason}`, { cause })
    }
  }
}

async function addPartitions(tx: AnyDb, columns: readonly string[], rows: unknown[][]): Promise<void> {
  const [resolution, start] = [columns.indexOf('resolution'), columns.indexOf('start')]
  const chunks = rows.map((row) => ({ resolution: Number(row[resolution]), start: Number(row[start]) }))
  // `as`: partitions are created with any schema, and all of it is one transaction.
  const there = { db: tx, transaction: (work: (inner: AnyDb) => Promise<void>) => work(tx) }
  await requirePartitions(there as unknown as Parameters<typeof requirePartitions>[0], chunks)
}

async function setLastId(
  tx: AnyDb,
  engine: Engine,
  { name, id }: { name: string; id: number },
): Promise<void> {
  if (engine === 'sqlite') {
    await sql`delete from sqlite_sequence where name = ${name}`.execute(tx)
    await sql`insert into sqlite_sequence (name, seq) values (${name}, ${id})`.execute(tx)
    return
  }
  const sequence = await findSequence(tx, name)
  if (sequence !== undefined && id > 0) await sql`select setval(${sequence}, ${id})`.execute(tx)
}

interface ForeignKey {
  table: string
  name: string
  definition: string
}

async function dropForeignKeys(tx: AnyDb): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`select relname as "table", conname as name,
      pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where contype = 'f' and conparentid = 0 and relnamespace = current_schema()::regnamespace`.execute(tx)
  for (const { table, name } of rows)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(tx)
  return rows
}

async function addForeignKeys(tx: AnyDb, keys: readonly ForeignKey[]): Promise<void> {
  for (const { table, name, definition } of keys)
    await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(
      tx,
    )
}

async function refuseDanglingRows(tx: AnyDb): Promise<void> {
  const { rows } = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(tx)
  const [first] = rows
  if (first === undefined) return
  throw new Error(`A row of table ${first.table} references a missing row of ${first.parent}.`)
}

async function compareTable(tx: AnyDb, engine: Engine, table: Table): Promise<void> {
  for await (const item of readRows(tx, engine, table)) {
    if (item.type === 'rows' || (item.rows === table.rows && item.hash === table.hash)) continue
    throw new Error(
      `Table ${table.name} differs after writing: ${item.rows} rows instead of ${table.rows}, or other values.`,
    )
  }
}
