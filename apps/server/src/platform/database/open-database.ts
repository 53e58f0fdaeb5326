import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@muster/contract/errors'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  sql,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import { Pool, types } from 'pg'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Engine } from './columns.ts'
import { StorablePostgresCompiler, StorableSqliteCompiler } from './sql.ts'

/** Longest wait of a query for a connection. */
const CONNECTION_WAIT_MS = 30_000

type Waiting = { enter: () => void; timer: NodeJS.Timeout }

/**
 * First-come-first-served queue for SQLite's single connection. Kysely's own queue waits forever; this one turns a
 * transaction that is held open by mistake into an error.
 */
class ConnectionQueue {
  #taken = false
  #waiting = new Set<Waiting>()
  #waitMs: number

  constructor(waitMs = CONNECTION_WAIT_MS) {
    this.#waitMs = waitMs
  }

  async enter(): Promise<void> {
    if (!this.#taken) {
      this.#taken = true
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { enter: resolve, timer: setTimeout(giveUp, this.#waitMs, this) }
    this.#waiting.add(waiting)
    return promise

    function giveUp(queue: ConnectionQueue) {
      queue.#waiting.delete(waiting)
      reject(
        new AppError(
          'unavailable',
          `The database was busy for ${queue.#waitMs / 1000} s: another transaction is being held open. Try again.`,
        ),
      )
    }
  }

  leave(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#taken = false
      return
    }
    this.#waiting.delete(next)
    clearTimeout(next.timer)
    next.enter()
  }
}

export interface OpenDatabase<DB> extends AsyncDisposable {
  readonly db: Kysely<DB>
  readonly engine: Engine
  readonly guard: TransactionGuard
}

const POSTGRES_INT8 = 20
const POSTGRES_NUMERIC = 1700
const POSTGRES_POOL_SIZE = 20

/**
 * Opens the database at `url`: PostgreSQL for `postgres://...`, a private empty SQLite database for `:memory:`, or
 * `muster.db` in the data folder if absent.
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

/**
 * Opens a SQLite database in memory: empty, or the copy that `image` holds, as SQLite serializes it. `waitMs`: longest
 * wait of a query for its turn.
 */
export function openMemory<DB>(options: { waitMs?: number; image?: Uint8Array } = {}): OpenDatabase<DB> {
  const guard = new TransactionGuard()
  const database = openSqlite(':memory:', options.image)
  return describe(new MusterSqliteDialect(database, guard, options.waitMs), 'sqlite', guard)
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
  // The pool drops an idle connection that breaks (server restarted). The next query opens a new one and reports the
  // problem. Without a listener the event would end the process.
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

/** Counts, sums and `bigint` columns arrive as numbers on both engines. No count exceeds 2^53. */
const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  if (oid === POSTGRES_INT8 || oid === POSTGRES_NUMERIC) return Number
  // `as`: the type has one signature per format, the function accepts both.
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

/** Number of cached prepared statements. Preparing costs ten times as much as a short query (2.3 and 0.2 µs). */
const PREPARED_STATEMENTS = 300
const READS_OR_WRITES_ROWS = /^\s*(?:select|insert|update|delete|with)\b/i

/**
 * Opens the file (or ':memory:') with Muster's settings, in the shape that Kysely's SQLite driver expects.
 *
 * Durability: with a write-ahead log and synchronous=normal, every commit is handed to the operating system before it
 * is acknowledged, so killing the process loses nothing. A power cut may lose the last moments, but never the file.
 * synchronous=full would cost an fsync, that is milliseconds, for each of a thousand reports per second, to protect
 * values that the agents send again.
 */
function openSqlite(path: string, image?: Uint8Array): SqliteDatabase {
  const database = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true })
  if (image !== undefined) database.deserialize(image)
  database.exec('pragma journal_mode = wal')
  database.exec('pragma synchronous = normal')
  database.exec('pragma cache_size = -32768')
  database.exec('pragma temp_store = memory')
  // After a burst the log is truncated to this size instead of keeping its largest one.
  database.exec('pragma journal_size_limit = 67108864')
  // SQLite's own lower() knows only ASCII. A search for "müller" must find "MÜLLER", as on PostgreSQL.
  database.function('lower', { deterministic: true }, (text) =>
    text === null ? null : String(text).toLowerCase(),
  )
  const prepared = new Map<string, SqliteStatement>()

  return {
    prepare(sql) {
      const known = prepared.get(sql)
      if (known !== undefined) {
        // Moved to the end, so that the first key is the least recently used one.
        prepared.delete(sql)
        prepared.set(sql, known)
        return known
      }
      const statement = wrapStatement(database, sql)
      if (READS_OR_WRITES_ROWS.test(sql)) {
        const [oldest] = prepared.keys()
        if (prepared.size >= PREPARED_STATEMENTS && oldest !== undefined) prepared.delete(oldest)
        prepared.set(sql, statement)
      }
      return statement
    },
    close() {
      prepared.clear()
      database.close()
    },
  }
}

function wrapStatement(database: DatabaseSync, sql: string): SqliteStatement {
  const statement: StatementSync = database.prepare(sql)
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...bindable(parameters)),
    run: (parameters) => statement.run(...bindable(parameters)),
    // A stream stays open between two reads. Running the same prepared statement again would restart it.
    iterate: (parameters) => database.prepare(sql).iterate(...bindable(parameters)),
  }
}

// `as`: Kysely passes unknown values. node:sqlite refuses a value that it cannot bind and names its type.
function bindable(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters as SQLInputValue[]
}

/** Kysely's SQLite dialect with our queue before the one connection. */
class MusterSqliteDialect extends SqliteDialect {
  #database: SqliteDatabase
  #guard: TransactionGuard
  #waitMs: number | undefined

  constructor(database: SqliteDatabase, guard: TransactionGuard, waitMs?: number) {
    super({ database })
    this.#database = database
    this.#guard = guard
    this.#waitMs = waitMs
  }

  override createDriver(): QueuedSqliteDriver {
    return new QueuedSqliteDriver(this.#database, this.#guard, this.#waitMs)
  }

  override createQueryCompiler(): StorableSqliteCompiler {
    return new StorableSqliteCompiler()
  }

  override createAdapter(): SqliteAdapter {
    return new QueuedSqliteAdapter()
  }
}

/** Kysely's PostgreSQL dialect that refuses a second connection inside a transaction. */
class MusterPostgresDialect extends PostgresDialect {
  #config: PostgresDialectConfig
  #guard: TransactionGuard

  constructor(config: PostgresDialectConfig, guard: TransactionGuard) {
    super(config)
    this.#config = config
    this.#guard = guard
  }

  override createDriver(): GuardedPostgresDriver {
    return new GuardedPostgresDriver(this.#config, this.#guard)
  }

  override createQueryCompiler(): StorablePostgresCompiler {
    return new StorablePostgresCompiler()
  }
}

class QueuedSqliteAdapter extends SqliteAdapter {
  // `true` keeps Kysely's own queue, which has no timeout, from being used before ours.
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class QueuedSqliteDriver extends SqliteDriver {
  #guard: TransactionGuard
  #queue: ConnectionQueue

  constructor(database: SqliteDatabase, guard: TransactionGuard, waitMs: number | undefined) {
    super({ database })
    this.#guard = guard
    this.#queue = new ConnectionQueue(waitMs)
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#guard.refuseInside()
    await this.#queue.enter()
    return super.acquireConnection()
  }

  override async releaseConnection(): Promise<void> {
    this.#queue.leave()
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // A deferred transaction that reads first cannot start writing after another process (an admin's tool) wrote.
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // Some errors (a full disk) make SQLite roll back on its own. A second rollback must not hide the error.
    await connection.executeQuery(CompiledQuery.raw('rollback')).catch((error: unknown) => {
      if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw error
    })
  }
}

class GuardedPostgresDriver extends PostgresDriver {
  #guard: TransactionGuard

  constructor(config: PostgresDialectConfig, guard: TransactionGuard) {
    super(config)
    this.#guard = guard
  }

  override async acquireConnection(
    ...options: Parameters<PostgresDriver['acquireConnection']>
  ): Promise<DatabaseConnection> {
    this.#guard.refuseInside()
    return super.acquireConnection(...options)
  }
}

/**
 * Knows whether the running code belongs to an open transaction of this database. A query that asks for a second
 * connection there would wait for the transaction that waits for the query: on SQLite at once, on PostgreSQL when the
 * pool is exhausted. Both engines refuse it, so the first test finds the fault.
 */
class TransactionGuard {
  #storage = new AsyncLocalStorage<{ open: boolean }>()

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const transaction = { open: true }
    try {
      return await this.#storage.run(transaction, work)
    } finally {
      // Code that outlives the transaction (a timer, a log write) is no longer inside it.
      transaction.open = false
    }
  }

  refuseInside(): void {
    if (this.#storage.getStore()?.open !== true) return
    throw new Error(
      'A query inside a transaction used `db` (or began a second transaction) and would deadlock: use the `tx` that the transaction provides',
    )
  }
}
