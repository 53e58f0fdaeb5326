import {
  CompiledQuery,
  PostgresDialect,
  PostgresDriver,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type PostgresDialectConfig,
  type SqliteDatabase,
} from 'kysely'
import { ConnectionQueue } from './connection-queue.ts'
import { StorablePostgresCompiler, StorableSqliteCompiler } from './storable.ts'
import type { TransactionGuard } from './transaction-guard.ts'

/** Kysely's SQLite dialect with our queue before the one connection. */
export class MusterSqliteDialect extends SqliteDialect {
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
export class MusterPostgresDialect extends PostgresDialect {
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
  // "true" keeps Kysely from putting its own queue, which cannot refuse or give up, before ours.
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
    // A deferred transaction that reads first cannot become a writer once another process (an admin's tool) wrote.
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // Some errors (a full disk) make SQLite roll back by itself; a second rollback must not hide that error.
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
