import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@muster/contract/errors'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Engine } from './columns.ts'
import type { OpenDatabase } from './open-database.ts'

/** One schema migration. `changesData`: it rewrites rows, so the file is copied first. */
export interface Migration {
  readonly name: string
  readonly changesData: boolean
  up(db: Transaction<unknown>, engine: Engine): Promise<void>
}

interface MigrationsTable {
  migrations: { name: string; applied_at: string }
}
type Connection = Kysely<MigrationsTable>

/** An arbitrary number shared by all Muster servers: only one process migrates at a time on PostgreSQL. */
const ADVISORY_LOCK = 6_878_530_742

/**
 * Migrates the database to the newest schema and returns the names of the migrations that ran. Each migration is one
 * transaction that also records it in the `migrations` table. A failing one leaves the database unchanged.
 */
export async function migrate<DB>(
  database: OpenDatabase<DB>,
  options: { migrations: readonly Migration[]; dataFolder: string },
): Promise<string[]> {
  // `as`: only this file uses the migrations table, which is in no DB type.
  const db = database.db as unknown as Connection
  return db.connection().execute(async (connection) => {
    if (database.engine === 'sqlite') {
      return withoutForeignKeys(connection, () => runPending(connection, 'sqlite', options))
    }
    await sql`select pg_advisory_lock(${sql.lit(ADVISORY_LOCK)})`.execute(connection)
    try {
      return await runPending(connection, 'postgres', options)
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(ADVISORY_LOCK)})`.execute(connection)
    }
  })
}

async function runPending(
  connection: Connection,
  engine: Engine,
  { migrations, dataFolder }: { migrations: readonly Migration[]; dataFolder: string },
): Promise<string[]> {
  const applied = await readApplied(connection)
  refuseUnknown(applied, migrations)
  const pending = migrations.filter(({ name }) => !applied.has(name))
  let copied = false
  for (const migration of pending) {
    if (migration.changesData && !copied && engine === 'sqlite' && (await hasRows(connection))) {
      await copyFile(connection, join(dataFolder, 'backups'), migration.name)
      copied = true
    }
    await runOne(connection, engine, migration)
  }
  return pending.map(({ name }) => name)
}

async function runOne(connection: Connection, engine: Engine, migration: Migration): Promise<void> {
  try {
    await connection.transaction().execute(async (tx) => {
      // `as`: a migration uses the schema of its own version, which no current type describes.
      await migration.up(tx as unknown as Transaction<unknown>, engine)
      if (engine === 'sqlite') await refuseDanglingRows(tx)
      await tx
        .insertInto('migrations')
        .values({ name: migration.name, applied_at: new Date().toISOString() })
        .execute()
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The database update ${migration.name} failed and was rolled back: ${reason}`, { cause })
  }
}

async function readApplied(connection: Connection): Promise<Set<string>> {
  await connection.schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('name', 'text', (col) => col.primaryKey().notNull())
    .addColumn('applied_at', 'text', (col) => col.notNull())
    .execute()
  const rows = await connection.selectFrom('migrations').select('name').execute()
  return new Set(rows.map(({ name }) => name))
}

function refuseUnknown(applied: Set<string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...applied].filter((name) => !known.has(name))
  if (unknown.length === 0) return
  throw new AppError(
    'conflict',
    `the database was created by a newer Muster (this one does not know ${unknown.join(', ')}): start the newer version, or restore a copy of the database from before its update`,
  )
}

/**
 * SQLite changes a table by creating a new one and dropping the old one, which would delete referencing rows if foreign
 * keys were on. They are checked before each commit instead. Must run outside a transaction.
 */
async function withoutForeignKeys<Result>(
  connection: Connection,
  work: () => Promise<Result>,
): Promise<Result> {
  await sql`pragma foreign_keys = off`.execute(connection)
  try {
    return await work()
  } finally {
    await sql`pragma foreign_keys = on`.execute(connection)
  }
}

async function refuseDanglingRows(tx: Connection): Promise<void> {
  const { rows } = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(tx)
  const [first] = rows
  if (first === undefined) return
  throw new Error(
    `${rows.length} rows, the first in ${first.table}, reference a missing row of ${first.parent}`,
  )
}

async function hasRows(connection: Connection): Promise<boolean> {
  const tables = await connection.introspection.getTables()
  for (const { name } of tables.filter((table) => !table.isView && table.name !== 'migrations')) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(connection)
    if (rows.length > 0) return true
  }
  return false
}

/** Copies the database. The final name appears only when the copy is complete and on disk. */
async function copyFile(connection: Connection, folder: string, migration: string): Promise<void> {
  const target = join(folder, `muster-before-${migration}.db`)
  const partial = `${target}.partial`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await rm(partial, { force: true })
  await sql`vacuum into ${partial}`.execute(connection)
  await using file = await open(partial, 'r+')
  await file.chmod(0o600)
  await file.sync()
  await rename(partial, target)
}
