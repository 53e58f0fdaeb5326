import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataFiles, makeDataFolder } from '../identity/data-folder.ts'
import type { Log } from '../log/log.ts'
import type { Problems } from '../status-file.ts'
import { Database, describeStorageFailure, isBrokenFile, isStorageFailure, TABLES } from './database.ts'

/** Small texts that survive a restart. */
export class KeyValueStore {
  #state: State

  constructor(state: State) {
    this.#state = state
  }

  find(name: string): string | undefined {
    const row = this.#state.read((database) => database.find('select value from kept where name = ?', name))
    return row === undefined ? undefined : String(row.value)
  }

  save(name: string, value: string): void {
    this.#state.write((database) =>
      database.run('insert or replace into kept (name, value) values (?, ?)', name, value),
    )
  }

  remove(name: string): void {
    this.#state.write((database) => database.run('delete from kept where name = ?', name))
  }
}

const RETRY_DISK_MS = 30_000
/** Exists while every nonce is on disk. It is removed (possible on a full disk) when that is no longer true. */
const COMPLETE_MARK = 'state.complete'

/**
 * The state of the agent: a SQLite file in the data folder.
 *
 * A disk that is full, read-only or broken must not stop the agent. The first failed write moves everything to a
 * database in memory with the same tables, repeats the work there, and sets a problem. Every half minute the agent
 * tries to return to disk. Work passed to `write` may therefore run twice and must touch nothing but the database.
 * All calls are synchronous, so no two pieces of work overlap.
 */
export class State implements Disposable {
  #folder: string
  #log: Log
  #problems: Problems
  #database: Database
  #depth = 0
  #retry: NodeJS.Timeout | undefined
  #moved = new Set<() => void>()
  /** `false` if nonces of earlier commands may be missing: older commands may be repeats then. */
  readonly completeAtStart: boolean

  constructor(options: { folder: string; log: Log; problems: Problems }) {
    this.#folder = options.folder
    this.#log = options.log
    this.#problems = options.problems
    const isNew = !existsSync(join(this.#folder, dataFiles.state))
    const wasComplete = isNew || existsSync(join(this.#folder, COMPLETE_MARK))
    const { database, trouble } = this.#openAtStart()
    this.#database = database
    this.completeAtStart = trouble === undefined && wasComplete
    if (trouble === undefined) this.#markComplete()
    else this.#reportTrouble(trouble)
  }

  get inMemory(): boolean {
    return this.#database.path === ':memory:'
  }

  read<T>(work: (database: Database) => T): T {
    return this.#guarded(() => work(this.#database))
  }

  /** Runs `work` in a transaction, or as part of the current one. */
  write<T>(work: (database: Database) => T): T {
    if (this.#depth > 0) return work(this.#database)
    return this.#guarded(() => this.#inTransaction(work))
  }

  /** Called after the content moved between disk and memory. */
  onMove(listener: () => void): void {
    this.#moved.add(listener)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#retry)
    this.#database[Symbol.dispose]()
  }

  #guarded<T>(attempt: () => T): T {
    try {
      return attempt()
    } catch (cause) {
      if (this.#depth > 0 || this.inMemory || !isStorageFailure(cause)) throw cause
      this.#moveToMemory(cause)
      return attempt()
    }
  }

  #inTransaction<T>(work: (database: Database) => T): T {
    this.#depth += 1
    try {
      this.#database.exec('begin immediate')
      const result = work(this.#database)
      this.#database.exec('commit')
      return result
    } catch (cause) {
      this.#rollBack()
      throw cause
    } finally {
      this.#depth -= 1
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec('rollback')
    } catch (cause) {
      // SQLite has already rolled back after some failures.
      this.#log.debug({ cause }, 'nothing to roll back')
    }
  }

  #openAtStart(): { database: Database; trouble: unknown } {
    const file = join(this.#folder, dataFiles.state)
    try {
      makeDataFolder(this.#folder)
      const database = new Database(file)
      proveWritable(database)
      return { database, trouble: undefined }
    } catch (cause) {
      if (!isBrokenFile(cause)) return { database: this.#startInMemory(file), trouble: cause }
      this.#log.error({ file, cause }, 'state file is damaged, creating a new one')
      return this.#replaceBrokenFile(file, cause)
    }
  }

  #replaceBrokenFile(file: string, broken: unknown): { database: Database; trouble: unknown } {
    try {
      renameSync(file, `${file}.broken`)
      for (const rest of [`${file}-wal`, `${file}-shm`]) rmSync(rest, { force: true })
      this.#unmarkComplete()
      return { database: new Database(file), trouble: undefined }
    } catch (cause) {
      this.#log.error({ file, cause }, 'failed to replace the damaged state file')
      return { database: new Database(':memory:'), trouble: broken }
    }
  }

  /** A read-only disk may still be readable: its content is copied. */
  #startInMemory(file: string): Database {
    const memory = new Database(':memory:')
    if (!existsSync(file)) return memory
    try {
      using disk = new Database(file)
      copyTables(disk, memory)
    } catch (cause) {
      this.#log.warn({ file, cause }, 'failed to read the state file')
    }
    return memory
  }

  #moveToMemory(trouble: unknown): void {
    const memory = new Database(':memory:')
    try {
      copyTables(this.#database, memory)
    } catch (cause) {
      this.#log.error({ cause }, 'failed to read part of the state from disk')
    }
    this.#database[Symbol.dispose]()
    this.#database = memory
    this.#unmarkComplete()
    this.#reportTrouble(trouble)
    for (const listener of this.#moved) listener()
  }

  #reportTrouble(trouble: unknown): void {
    this.#log.error(
      { folder: this.#folder, cause: trouble },
      'data folder is not usable, continuing in memory',
    )
    this.#problems.set(
      'state',
      `The agent cannot write its data folder ${this.#folder} (${describeStorageFailure(trouble)}). It continues in memory; results are lost if it restarts now.`,
    )
    this.#retry ??= setInterval(() => this.moveToDisk(), RETRY_DISK_MS).unref()
  }

  /** Tries to return to disk. Does nothing if the disk still fails. */
  moveToDisk(): void {
    if (!this.inMemory) return
    let disk: Database | undefined
    try {
      makeDataFolder(this.#folder)
      disk = new Database(join(this.#folder, dataFiles.state))
      copyTables(this.#database, disk)
      proveWritable(disk)
    } catch (cause) {
      disk?.[Symbol.dispose]()
      this.#log.debug({ cause }, 'data folder is still not usable')
      return
    }
    this.#database[Symbol.dispose]()
    this.#database = disk
    clearInterval(this.#retry)
    this.#retry = undefined
    this.#markComplete()
    this.#log.info({ folder: this.#folder }, 'data folder is usable again')
    this.#problems.set('state', null)
    for (const listener of this.#moved) listener()
  }

  #markComplete(): void {
    try {
      writeFileSync(join(this.#folder, COMPLETE_MARK), '', { mode: 0o600 })
    } catch (cause) {
      this.#log.debug({ cause }, 'failed to write the complete mark')
    }
  }

  #unmarkComplete(): void {
    try {
      rmSync(join(this.#folder, COMPLETE_MARK), { force: true })
    } catch (cause) {
      this.#log.debug({ cause }, 'failed to remove the complete mark')
    }
  }
}

function proveWritable(database: Database): void {
  const now = String(Date.now())
  database.run(
    `insert into kept (name, value) values ('opened', ?) on conflict (name) do update set value = ?`,
    now,
    now,
  )
}

/** Replaces the content of `to` with that of `from`, in one transaction. */
function copyTables(from: Database, to: Database): void {
  to.exec('begin immediate')
  try {
    for (const table of TABLES) {
      to.run(`delete from ${table}`)
      for (const row of from.all(`select * from ${table}`)) {
        const names = Object.keys(row)
        const marks = names.map(() => '?').join(', ')
        to.run(`insert into ${table} (${names.join(', ')}) values (${marks})`, ...Object.values(row))
      }
    }
    // Report numbers continue, even if no report is waiting.
    const last = from.find(`select seq from sqlite_sequence where name = 'outbox'`)?.seq
    if (last !== undefined) setLastSeq(to, Number(last))
    to.exec('commit')
  } catch (cause) {
    to.exec('rollback')
    throw cause
  }
}

/** Sets the next report number to at least `seq + 1`. */
export function setLastSeq(database: Database, seq: number): void {
  const changed = database.run(`update sqlite_sequence set seq = max(seq, ?) where name = 'outbox'`, seq)
  if (changed === 0) database.run(`insert into sqlite_sequence (name, seq) values ('outbox', ?)`, seq)
}
