import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'

const SCHEMA_VERSION = 3
/** `definition` is null until the server has sent it. */
const CHECKS = `
  create table checks (
    id integer primary key,
    revision text not null,
    run_interval_seconds integer not null,
    definition text
  ) strict;
`
/**
 * `handled_ms`: runs up to this time are handled. A run is stored before its process starts: see
 * tasks/task-run-queue.ts.
 */
const TASKS = `
  create table tasks (
    id integer primary key,
    revision text not null,
    definition text,
    handled_ms integer,
    onboarded integer not null default 0
  ) strict;
  create table task_runs (
    id integer primary key autoincrement,
    run_id text not null unique,
    task_id integer not null,
    state text not null check (state in ('waiting', 'running', 'ended')),
    job text not null,
    changed_at integer not null
  ) strict;
`
/** Changes of each version to the one before. */
const ADDED: Record<number, string> = { 2: CHECKS, 3: TASKS }
const SCHEMA = `
  create table outbox (
    seq integer primary key autoincrement,
    kind text not null,
    history_id integer,
    at integer not null,
    size integer not null,
    json text not null
  ) strict;
  create index outbox_kind on outbox (kind, seq);
  create table nonces (
    id integer primary key autoincrement,
    nonce text not null unique,
    expires_at integer not null
  ) strict;
  create table runs (
    history_id integer primary key,
    nonce text not null,
    marker text not null,
    state text not null check (state in ('waiting', 'running', 'ended')),
    result text,
    changed_at integer not null
  ) strict;
  create table kept (name text primary key, value text not null) strict;
  ${CHECKS}
  ${TASKS}
  pragma user_version = ${SCHEMA_VERSION};
`
export const TABLES = ['outbox', 'nonces', 'runs', 'kept', 'checks', 'tasks', 'task_runs'] as const

/** An open state file, or a database in memory. Caches prepared statements. */
export class Database implements Disposable {
  readonly path: string
  #handle: DatabaseSync
  #statements = new Map<string, StatementSync>()

  constructor(path: string) {
    this.path = path
    this.#handle = new DatabaseSync(path, { timeout: 2000 })
    try {
      // Small on purpose: the agent stores little here, and its memory is limited.
      this.exec('pragma cache_size = -512')
      // Deleted and encrypted content must not stay readable in the file.
      this.exec('pragma secure_delete = on')
      if (path !== ':memory:') {
        this.exec('pragma auto_vacuum = incremental')
        // As on the server: a killed process loses nothing, a power cut at most the last moments.
        this.exec(
          'pragma journal_mode = wal; pragma synchronous = normal; pragma journal_size_limit = 1048576',
        )
      }
      this.#createTables()
    } catch (cause) {
      this.#handle.close()
      throw cause
    }
  }

  exec(sql: string): void {
    this.#handle.exec(sql)
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes)
  }

  all(sql: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue>[] {
    return this.#prepare(sql).all(...values)
  }

  find(sql: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue> | undefined {
    return this.#prepare(sql).get(...values)
  }

  [Symbol.dispose](): void {
    this.#statements.clear()
    if (this.#handle.isOpen) this.#handle.close()
  }

  #createTables(): void {
    const version = Number(this.find('pragma user_version')?.user_version)
    if (version === SCHEMA_VERSION) return
    if (version > 0 && version < SCHEMA_VERSION) {
      const steps = Object.entries(ADDED).flatMap(([added, sql]) => (Number(added) > version ? [sql] : []))
      return this.exec(`begin immediate; ${steps.join('')} pragma user_version = ${SCHEMA_VERSION}; commit`)
    }
    if (version !== 0) throw new UnknownStateError(`the state file has version ${version}`)
    this.exec(`begin immediate; ${SCHEMA} commit`)
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#handle.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

/** A state file of a newer agent. */
class UnknownStateError extends Error {
  override name = 'UnknownStateError'
}

const SQLITE = {
  busy: 5,
  locked: 6,
  readonly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notDatabase: 26,
}

/** Whether the disk or the file has failed, and not the statement. */
export function isStorageFailure(error: unknown): boolean {
  const code = sqliteCode(error)
  return code !== undefined && Object.values(SQLITE).includes(code)
}

/** Whether the file itself is unusable and has to be replaced. */
export function isBrokenFile(error: unknown): boolean {
  const code = sqliteCode(error)
  return error instanceof UnknownStateError || code === SQLITE.corrupt || code === SQLITE.notDatabase
}

/** Describes a disk error as the middle of a sentence. */
export function describeStorageFailure(error: unknown): string {
  const code = sqliteCode(error)
  if (code === SQLITE.full) return 'the disk is full'
  if (code === SQLITE.readonly || code === SQLITE.cannotOpen) return 'it is not writable'
  if (isBrokenFile(error)) return 'its state file is damaged'
  return error instanceof Error ? error.message : String(error)
}

function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined
  // The low byte is the class.
  return error.errcode & 0xff
}
