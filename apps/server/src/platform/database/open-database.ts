import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@muster/contract/errors'
import { Kysely, sql } from 'kysely'
import { Pool, types } from 'pg'
import type { Engine } from './columns.ts'
import { CONNECTION_WAIT_MS } from './connection-queue.ts'
import { MusterPostgresDialect, MusterSqliteDialect } from './dialects.ts'
import { openSqlite } from './sqlite-database.ts'
import { TransactionGuard } from './transaction-guard.ts'

export interface OpenDatabase<DB> extends AsyncDisposable {
  readonly db: Kysely<DB>
  readonly engine: Engine
  readonly guard: TransactionGuard
}

const POSTGRES_INT8 = 20
const POSTGRES_NUMERIC = 1700
const POSTGRES_POOL_SIZE = 20

/**
 * Opens the database that `url` names: PostgreSQL for `postgres://...`, a private empty SQLite database for
 * `:memory:`, and `muster.db` in the data folder when it is absent.
 */
export async function openDatabase<DB>(
  url: string | undefined,
  dataFolder: string,
): Promise<OpenDatabase<DB>> {
  if (url === undefined) return openFile(dataFolder)
  if (url === ':memory:') return openMemory()
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url)
  throw new AppError(
    'invalid',
    'DATABASE_URL must begin with postgres:// (leave it out to use the embedded database)',
  )
}

/** An empty SQLite database that lives as long as the process. `waitMs`: how long a query waits for its turn. */
export function openMemory<DB>(waitMs?: number): OpenDatabase<DB> {
  const guard = new TransactionGuard()
  return describe(new MusterSqliteDialect(openSqlite(':memory:'), guard, waitMs), 'sqlite', guard)
}

function openFile<DB>(dataFolder: string): OpenDatabase<DB> {
  const path = join(dataFolder, 'muster.db')
  const guard = new TransactionGuard()
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
    return describe(new MusterSqliteDialect(openSqlite(path), guard), 'sqlite', guard)
  } catch (cause) {
    throw new AppError('unavailable', `The database ${path} cannot be opened: ${reasonOf(cause)}`, { cause })
  }
}

async function openPostgres<DB>(url: string): Promise<OpenDatabase<DB>> {
  const pool = new Pool({
    connectionString: url,
    max: POSTGRES_POOL_SIZE,
    connectionTimeoutMillis: CONNECTION_WAIT_MS,
    idle_in_transaction_session_timeout: 2 * CONNECTION_WAIT_MS,
    keepAlive: true,
    application_name: 'muster',
    types: { getTypeParser },
  })
  // An idle connection that breaks (server restarted) is dropped by the pool; the next query makes a new one
  // and reports what is wrong. Without a listener the event would end the process.
  pool.on('error', () => undefined)
  const guard = new TransactionGuard()
  const database = describe<DB>(new MusterPostgresDialect({ pool }, guard), 'postgres', guard)
  try {
    await sql`select 1`.execute(database.db)
    return database
  } catch (cause) {
    await database[Symbol.asyncDispose]()
    throw new AppError(
      'unavailable',
      `The database at ${withoutPassword(url)} cannot be reached: ${reasonOf(cause)}`,
      { cause },
    )
  }
}

function describe<DB>(
  dialect: MusterSqliteDialect | MusterPostgresDialect,
  engine: Engine,
  guard: TransactionGuard,
): OpenDatabase<DB> {
  const db = new Kysely<DB>({ dialect })
  return { db, engine, guard, [Symbol.asyncDispose]: () => db.destroy() }
}

/** Counts, sums and `bigint` columns arrive as numbers on both engines; nothing here counts beyond 2^53. */
const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  if (oid === POSTGRES_INT8 || oid === POSTGRES_NUMERIC) return Number
  // `as`: the declaration has one signature per format, the function takes either.
  return types.getTypeParser(oid, format as 'text')
}

function withoutPassword(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? 'the address in DATABASE_URL' : `${parsed.host}${parsed.pathname}`
}

function reasonOf(error: unknown): string {
  // A refused connection to a name with two addresses is an AggregateError without a message.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
