import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataFiles, makeDataFolder } from '../identity/data-folder.ts'
import type { Log } from '../log/log.ts'
import type { Problems } from '../problems.ts'
import { copyTables } from './copy-tables.ts'
import { Database, describeStorageFailure, isBrokenFile, isStorageFailure } from './database.ts'

const RETRY_DISK_MS = 30_000
/** Present while every nonce is on disk. It is removed (possible on a full disk) when that ends. */
const COMPLETE_MARK = 'state.complete'

/**
 * What the agent has to remember: a SQLite file in the data folder.
 *
 * A disk that is full, read-only or broken must not stop the agent. The first write that fails moves everything
 * into a database in memory with the same tables, the failed work is done again there, and a problem is told to
 * the console. Every half minute the way back is tried. Work handed to `write` may therefore run twice and must
 * touch nothing but the database. All calls are synchronous, so no two pieces of work ever overlap.
 */
export class State implements Disposable {
  #folder: string
  #log: Log
  #problems: Problems
  #database: Database
  #depth = 0
  #retry: NodeJS.Timeout | undefined
  #moved = new Set<() => void>()
  /** False when nonces of earlier commands may be missing: then older commands cannot be told from repeated ones. */
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
    else this.#tellTrouble(trouble)
  }

  get inMemory(): boolean {
    return this.#database.path === ':memory:'
  }

  read<T>(work: (database: Database) => T): T {
    return this.#guarded(() => work(this.#database))
  }

  /** Does `work` as a whole or not at all. Inside other work it becomes a part of that. */
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
      // SQLite has already rolled back by itself after some failures; then there is nothing to end.
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
      this.#log.error({ file, cause }, 'state file is damaged, starting a fresh one')
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
      this.#log.error({ file, cause }, 'damaged state file cannot be replaced')
      return { database: new Database(':memory:'), trouble: broken }
    }
  }

  /** A disk that cannot be written may still be read: what is on it is taken along. */
  #startInMemory(file: string): Database {
    const memory = new Database(':memory:')
    if (!existsSync(file)) return memory
    try {
      using disk = new Database(file)
      copyTables(disk, memory)
    } catch (cause) {
      this.#log.warn({ file, cause }, 'state file cannot be read')
    }
    return memory
  }

  #moveToMemory(trouble: unknown): void {
    const memory = new Database(':memory:')
    try {
      copyTables(this.#database, memory)
    } catch (cause) {
      this.#log.error({ cause }, 'part of the state could not be read from disk')
    }
    this.#database[Symbol.dispose]()
    this.#database = memory
    this.#unmarkComplete()
    this.#tellTrouble(trouble)
    for (const listener of this.#moved) listener()
  }

  #tellTrouble(trouble: unknown): void {
    this.#log.error(
      { folder: this.#folder, cause: trouble },
      'data folder cannot be used, going on in memory',
    )
    this.#problems.set(
      'state',
      `The agent cannot write its data folder ${this.#folder} (${describeStorageFailure(trouble)}). It goes on in memory; results are lost if it restarts now.`,
    )
    this.#retry ??= setInterval(() => this.moveToDisk(), RETRY_DISK_MS).unref()
  }

  /** Tries to leave memory again; does nothing when the disk is still of no use. */
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
      this.#log.debug({ cause }, 'data folder still cannot be used')
      return
    }
    this.#database[Symbol.dispose]()
    this.#database = disk
    clearInterval(this.#retry)
    this.#retry = undefined
    this.#markComplete()
    this.#log.info({ folder: this.#folder }, 'data folder can be used again')
    this.#problems.set('state', null)
    for (const listener of this.#moved) listener()
  }

  #markComplete(): void {
    try {
      writeFileSync(join(this.#folder, COMPLETE_MARK), '', { mode: 0o600 })
    } catch (cause) {
      this.#log.debug({ cause }, 'complete mark not written')
    }
  }

  #unmarkComplete(): void {
    try {
      rmSync(join(this.#folder, COMPLETE_MARK), { force: true })
    } catch (cause) {
      this.#log.debug({ cause }, 'complete mark not removed')
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
