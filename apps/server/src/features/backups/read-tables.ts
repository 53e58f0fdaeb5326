import { type Kysely, sql } from 'kysely'
import type { Engine } from '../../platform/database/columns.ts'
import type { OpenDatabase } from '../../platform/database/open-database.ts'
import { encodeRow, RowHash } from './table-rows.ts'

/** A database as a stream, equal for both engines: all tables, one after the other. */
export type TableItem =
  | { type: 'start'; migrations: string[] }
  | { type: 'table'; name: string; columns: string[] }
  /** Encoded rows. Together they are one insert. */
  | { type: 'rows'; rows: Buffer }
  /** `last_id`: the last id that the database has assigned; null = none, or the table has no such ids. */
  | { type: 'table-end'; rows: number; hash: string; last_id: number | null }

// Any table: no type describes the schema of a backup.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyDb = Kysely<any>

const BATCH_BYTES = 256 * 1024
const BATCH_ROWS = 100
const MAX_FETCHED_ROWS = 500

/** Reads all tables as they are at one moment. Other processes can write meanwhile. */
export async function* readTables(database: OpenDatabase<unknown>): AsyncGenerator<TableItem> {
  await using snapshot = await openSnapshot(database)
  const { db } = snapshot
  const tables = await listTables(db, database.engine)
  if (!tables.includes('migrations')) throw new Error('the database holds no tables of Muster')
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(db)
  yield { type: 'start', migrations: rows.map(({ name }) => name) }
  for (const name of tables) {
    const columns = await listColumns(db, database.engine, name)
    yield { type: 'table', name, columns }
    yield* readRows(db, database.engine, { name, columns })
  }
}

/** Reads the rows of one table, and compares their number with that of the database. */
export async function* readRows(
  db: AnyDb,
  engine: Engine,
  { name, columns }: { name: string; columns: readonly string[] },
): AsyncGenerator<Extract<TableItem, { type: 'rows' | 'table-end' }>> {
  const hash = new RowHash()
  let batch: Buffer[] = []
  let bytes = 0
  for await (const row of selectRows(db, engine, { name, columns })) {
    const encoded = encodeRow(columns.map((column) => row[column]))
    hash.add(encoded)
    batch.push(encoded)
    bytes += encoded.length
    if (bytes < BATCH_BYTES && batch.length < BATCH_ROWS) continue
    yield { type: 'rows', rows: Buffer.concat(batch) }
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield { type: 'rows', rows: Buffer.concat(batch) }
  const counted = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.execute(db)
  if (counted.rows[0]?.rows !== hash.count)
    throw new Error(`Table ${name} has ${counted.rows[0]?.rows} rows, but ${hash.count} were read.`)
  yield { type: 'table-end', rows: hash.count, hash: hash.hex, last_id: await findLastId(db, engine, name) }
}

type Row = Record<string, unknown>

async function* selectRows(
  db: AnyDb,
  engine: Engine,
  { name, columns }: { name: string; columns: readonly string[] },
): AsyncGenerator<Row> {
  if (engine === 'sqlite') {
    yield* db.selectFrom(name).select(columns).stream() as AsyncIterable<Row>
    return
  }
  const list = sql.join(columns.map((column) => sql.ref(column)))
  await sql`declare muster_rows no scroll cursor for select ${list} from ${sql.table(name)}`.execute(db)
  // Rows can be large: few at first, then about as many as fit a batch.
  for (let wanted = 1; ;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(wanted)} from muster_rows`.execute(db)
    yield* rows
    if (rows.length < wanted) break
    const bytes = rows.reduce((sum, row) => sum + encodeRow(columns.map((column) => row[column])).length, 0)
    const fitting = Math.floor((BATCH_BYTES * rows.length) / Math.max(bytes, 1))
    wanted = Math.max(1, Math.min(fitting, wanted * 4, MAX_FETCHED_ROWS))
  }
  await sql`close muster_rows`.execute(db)
}

/** Names in alphabetical order. Partitions belong to their tables. */
export async function listTables(db: AnyDb, engine: Engine): Promise<string[]> {
  const { rows } =
    engine === 'sqlite'
      ? await sql<{ name: string }>`select name from sqlite_schema
          where type = 'table' and name not like 'sqlite\\_%' escape '\\'`.execute(db)
      : await sql<{ name: string }>`select relname as name from pg_class
          where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
            and not relispartition`.execute(db)
  return rows.map(({ name }) => name).toSorted()
}

/** Names in alphabetical order. */
export async function listColumns(db: AnyDb, engine: Engine, table: string): Promise<string[]> {
  const { rows } =
    engine === 'sqlite'
      ? await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(db)
      : await sql<{ name: string }>`select attname as name from pg_attribute
          where attrelid = to_regclass(quote_ident(${table})) and attnum > 0 and not attisdropped`.execute(db)
  return rows.map(({ name }) => name).toSorted()
}

async function findLastId(db: AnyDb, engine: Engine, table: string): Promise<number | null> {
  if (engine === 'sqlite') {
    const { rows } = await sql<{
      seq: number
    }>`select seq from sqlite_sequence where name = ${table}`.execute(db)
    return rows[0]?.seq ?? null
  }
  const sequence = await findSequence(db, table)
  if (sequence === undefined) return null
  const { rows } = await sql<{ last: number | null }>`select case when is_called then last_value end as last
    from ${sql.raw(sequence)}`.execute(db)
  return rows[0]?.last ?? null
}

/** The sequence that assigns the ids of a table on PostgreSQL, as SQL. */
export async function findSequence(db: AnyDb, table: string): Promise<string | undefined> {
  const { rows } = await sql<{
    sequence: string
  }>`select pg_get_serial_sequence(quote_ident(${table}), attname) as sequence
    from pg_attribute where attrelid = to_regclass(quote_ident(${table})) and attidentity <> ''`.execute(db)
  return rows[0]?.sequence
}

/** A read transaction. On SQLite the write-ahead log grows until it ends; nobody waits for it. */
async function openSnapshot({ db, engine }: OpenDatabase<unknown>): Promise<AsyncDisposable & { db: AnyDb }> {
  const opened = Promise.withResolvers<AnyDb>()
  const closed = Promise.withResolvers<void>()
  const ended = (db as AnyDb).connection().execute(async (connection) => {
    // Not by Kysely's transaction, which would lock the writers of SQLite out.
    await (
      engine === 'sqlite' ? sql`begin` : sql`begin transaction isolation level repeatable read, read only`
    ).execute(connection)
    try {
      if (engine === 'postgres')
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(connection)
      opened.resolve(connection)
      await closed.promise
    } finally {
      await sql`rollback`.execute(connection)
    }
  })
  ended.catch(opened.reject)
  return {
    db: await opened.promise,
    async [Symbol.asyncDispose]() {
      closed.resolve()
      await ended
    },
  }
}
